/** Splits sentences that are too long for one part, at the best places first. */
import { mendMarkup } from './markup.ts';
import { isAbbreviation } from './periods.ts';
import { segmentSteps } from './segments.ts';
import { isUnspaced, southEastAsian } from './writing-systems.ts';

/** The boundary that ends a piece. */
export type PartEnd = 'word' | 'clause' | 'sentence' | 'paragraph';

/** A piece of text and its final boundary. */
export interface Piece {
  readonly text: string;
  readonly end: PartEnd;
}

/**
 * After clause punctuation and possible sentence ends, before a dash, opening bracket or quote. In scripts without
 * spaces between words, a space ends a phrase.
 */
const clauseEnds = new RegExp(
  String.raw`[,;:·،؛)\]}"'”’»](?=\s)|[၊៖]|(?<=[${southEastAsian}])\s+(?=\S)|[，；：、）】》」』。！？](?![”’"'」』）】》])|(?<![.!?…])[.!?…]+["'”’)\]]*(?=\s)|…+|\s(?=[-–—(["“‘«]\S)|\s(?=[-–—]\s)|[–—]+`,
  'gu',
);

/** Words before which a speaker may take a breath. */
const phraseStarts =
  /(?<!\s)\s+(?=(?:and|or|but|nor|so|that|which|who|whom|whose|where|when|while|because|although|though|if|unless|until|since|after|before|than|as|with|without|for|from|to|into|of|in|on|at|by|about|over|under|through|between|against|during)\s)/giu;

/**
 * Cuts a piece into smaller ones, the last of which ends as it does. Yields undefined where other work may go first: a long
 * text may have no place to cut.
 */
export type Cutter = (piece: Piece) => Iterable<Piece | undefined>;

const cutAfter = (pattern: RegExp, cutEnd: PartEnd): Cutter =>
  function* ({ text, end }) {
    let start = 0;
    for (const { 0: mark, index } of text.matchAll(pattern)) {
      const stop = index + mark.length;
      if (/^[.,]$/.test(mark) && belongsToWord(text, index, stop)) continue;
      if (stop >= text.length) break;
      yield { text: text.slice(start, stop), end: cutEnd };
      start = stop;
    }
    yield { text: text.slice(start), end };
  };

function belongsToWord(text: string, mark: number, stop: number): boolean {
  if (text[mark] === ',') return false;
  const word = /[\p{L}\p{N}.]*$/u.exec(text.slice(Math.max(0, mark - 24), mark))?.[0] ?? '';
  return /^\p{Lu}$/u.test(word) || isAbbreviation(word, text.slice(stop, stop + 24).trimStart());
}

const cutBetween = (granularity: 'word' | 'grapheme', mayBreak: (left: string, right: string) => boolean): Cutter =>
  function* ({ text, end }) {
    let held = '';
    let previous = '';
    for (const segment of segmentSteps(text, granularity)) {
      if (segment === undefined) {
        yield;
        continue;
      }
      if (held !== '' && mayBreak(previous, segment)) {
        yield { text: held, end: 'word' };
        held = '';
      }
      held += segment;
      previous = segment;
    }
    yield { text: held, end };
  };

function mayBreakBetween(left: string, right: string): boolean {
  if (/\s$/u.test(left)) return !/^\s/u.test(right);
  if (/^[\s\p{Pe}\p{Pf}\p{Po}%°]/u.test(right) || /[\p{Ps}\p{Pi}]$/u.test(left)) return false;
  // Keep `2026年` and `3.5公里` together.
  if (/[\p{N}\p{Sc}]$/u.test(left)) return false;
  return isUnspaced(left.at(-1)) || isUnspaced(right[0]);
}

const cutters: readonly Cutter[] = [
  cutAfter(clauseEnds, 'clause'),
  cutAfter(phraseStarts, 'word'),
  cutBetween('word', mayBreakBetween),
  cutAfter(/[^\p{L}\p{N}\p{M}]+/gu, 'word'),
  cutBetween('grapheme', () => true),
];

/**
 * Cutters from coarse to fine; the last one cuts words, for words that are too long. None cuts inside a tag or a
 * phoneme.
 */
export const finePieces: readonly Cutter[] = cutters.map((cut) => (piece) => mendMarkup(piece.text, cut(piece)));
