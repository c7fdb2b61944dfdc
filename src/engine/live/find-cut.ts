/** Finds how much of a text that is still being written can be spoken already. */
import { withoutSteps } from '../../event-loop.ts';
import { finePieces } from '../text/fine-pieces.ts';
import { paragraphBreaks } from '../text/paragraphs.ts';
import { sentencesOf } from '../text/sentences.ts';
import { firstPiece, speechLength } from '../text/split.ts';
import { type Block, blocksOf, type MarkupSpan, markupSpans, withoutTags } from './open-markup.ts';
import { type TextState, textWindow } from './read-ahead.ts';

export interface Pending {
  /** Text that was written and not spoken: at most `textWindow`. */
  readonly text: string;
  readonly state: TextState;
  readonly markup: 'markdown' | 'none';
  /** Least text to begin with: a clause at the beginning of a speech. */
  readonly least: 'clause' | 'sentence';
  /** Longest part, in letters. */
  readonly maxCharacters: number;
}

export interface Cut {
  /** In UTF-16 code units from the beginning. */
  readonly length: number;
  readonly ends: 'in paragraph' | 'paragraph';
  /** Goes in front of the rest, to open a block again that was cut. */
  readonly reopen?: string | undefined;
}

/** Shorter pieces sound bad. */
const shortestPiece = 12;
/** The word after a mark, if white space ends it. */
const following = /^\s*(\S+)\s/u;
/** More than what the rules about a word look at. */
const enoughFollows = 16;
/** Ends a sentence whatever follows. */
const surelyEnded = /[。！？｡]\s*$/u;
const clauseMark = /[,;:·،؛，；：、၊៖]["'”’»)\]]*\s*$/u;
/** A blank line in white space at the end of a text. */
const blankLine = /\n[^\S\n]*\n/;

/**
 * The longest beginning that ends a paragraph, else a sentence; at the beginning of a speech the shortest one, or a clause
 * if no sentence is complete. A sentence that is longer than a part is cut inside.
 *
 * @returns undefined if more has to be written first
 */
export function findCut({ text, state, markup, least, maxCharacters }: Pending): Cut | undefined {
  if (text === '') return undefined;
  if (state === 'ended') {
    const ends = blankLine.test(text.slice(text.trimEnd().length)) ? 'paragraph' : 'in paragraph';
    return { length: text.length, ends };
  }
  const blocks = markup === 'markdown' ? blocksOf(text) : [];
  const isFull = text.length >= textWindow;
  const openBlock = blocks.find(({ isOpen }) => isOpen);
  if (isFull && openBlock?.start === 0) return cutBlock(text, openBlock);
  const spans = [...markupSpans(text, markup), ...blocks];
  const opened = spans.filter(({ isOpen }) => isOpen);
  const whole = text.slice(0, Math.min(text.length, ...opened.map(({ start }) => start)));
  const isWhole = insideOf(whole, spans);
  const blank = text.length - text.trimStart().length;
  const paragraphs = paragraphEnds(text, blocks).filter((end) => isWhole(end) && end > blank);
  const sentences = sentenceEnds(text, state, isWhole);
  if (least === 'clause') {
    const [first] = [...paragraphs, ...sentences].sort(ascending);
    const length = first ?? firstClause(text, whole, state);
    if (length !== undefined) return { length, ends: paragraphs.includes(length) ? 'paragraph' : 'in paragraph' };
  }
  const paragraph = paragraphs.at(-1);
  if (paragraph !== undefined) return { length: paragraph, ends: 'paragraph' };
  const sentence = sentences.at(-1);
  if (sentence !== undefined) return { length: sentence, ends: 'in paragraph' };
  const long = tooLong(whole, maxCharacters) ?? (isFull ? whole || text : '');
  return long === '' ? undefined : { length: firstPiece(long, maxCharacters).text.length, ends: 'in paragraph' };
}

/** Whether a place in `whole` is in none of the spans. */
function insideOf(whole: string, spans: readonly MarkupSpan[]): (end: number) => boolean {
  const inside = new Uint8Array(whole.length + 1);
  for (const { start, end } of spans) inside.fill(1, start + 1, Math.max(start + 1, end));
  return (end) => end <= whole.length && inside[end] === 0;
}

/** The shortest beginning that is longer than a part, whatever was written after it. */
function tooLong(text: string, maxCharacters: number): string | undefined {
  if (speechLength(text) <= maxCharacters) return undefined;
  let letters = 0;
  let end = 0;
  for (const character of text) {
    if (letters > maxCharacters) break;
    letters += speechLength(character);
    end += character.length;
  }
  return text.slice(0, end);
}

/** A block that is longer than the window is cut between lines. */
function cutBlock(text: string, { opener }: Block): Cut {
  const line = text.lastIndexOf('\n') + 1;
  return { length: line > opener.length ? line : text.length, ends: 'paragraph', reopen: opener };
}

const ascending = (one: number, other: number): number => one - other;

function paragraphEnds(text: string, blocks: readonly Block[]): readonly number[] {
  const ends = [...paragraphBreaks(text)].filter(({ isCertain }) => isCertain).map(({ end }) => end);
  const sides = blocks.flatMap(({ start, end, isOpen }) => (isOpen ? [start] : [start, end]));
  return [...new Set([...ends, ...sides])].sort(ascending);
}

/** Text after a pause could begin with another word. */
const continuedWith = ' X';

function sentenceEnds(text: string, state: TextState, isWhole: (end: number) => boolean): readonly number[] {
  const seen = withoutTags(state === 'quiet' ? text.trimEnd() + continuedWith : text);
  return [...sentencesOf(seen)]
    .slice(0, -1)
    .map(({ end }) => end)
    .filter((end) => isWhole(end) && (state === 'quiet' || (isSure(text, end) && !isShort(text.slice(0, end)))));
}

/** The end of the first clause within `whole`, a beginning of the text. */
function firstClause(text: string, whole: string, state: TextState): number | undefined {
  const [pieces] = finePieces;
  let end = 0;
  let previous = 0;
  for (const piece of withoutSteps(pieces?.({ text: withoutTags(whole), end: 'sentence' }) ?? [])) {
    // The last piece is what is left.
    if (previous > 0 && isClause(text, previous, state)) return previous;
    end += piece.text.length;
    previous = end;
  }
  return undefined;
}

const isClause = (text: string, end: number, state: TextState): boolean =>
  !isShort(text.slice(0, end)) &&
  (state === 'quiet' || clauseMark.test(text.slice(0, end).slice(-8)) || isSure(text, end));

const isShort = (text: string): boolean => {
  const spoken = text.trim();
  return spoken.length < shortestPiece && speechLength(spoken) < shortestPiece;
};

function isSure(text: string, end: number): boolean {
  const rest = text.slice(end, end + 200);
  const [, next = ''] = following.exec(rest) ?? [];
  if (/[\p{L}\p{N}]/u.test(next) || rest.trim().length >= enoughFollows) return true;
  return rest.trim() !== '' && surelyEnded.test(text.slice(Math.max(0, end - 8), end));
}
