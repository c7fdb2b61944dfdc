/**
 * Splits a text into parts that a model speaks well: as many sentences of a paragraph as fit, of similar length. A
 * sentence that is too long is cut after a clause, else between words.
 */
import { type Steps, type Wait, withoutSteps } from '../../event-loop.ts';
import { isSpeakable } from './clean.ts';
import { type Cutter, finePieces, type PartEnd, type Piece } from './fine-pieces.ts';
import type { FoundLanguage } from './language/language-reader.ts';
import { mendMarkup } from './markup.ts';
import { collapseWhitespace } from './normalize.ts';
import { paragraphsOf } from './paragraphs.ts';
import type { Span } from './span.ts';
import {
  languageAt,
  type SpokenText,
  sentencesOfSpoken,
  stretchesWithin,
  type WrittenStretch,
  withSegments,
} from './spoken-text.ts';
import { eachSyllabic } from './writing-systems.ts';

/** Silence between the last sound of a part and the first of the next, in seconds. */
export const pauseSeconds = { word: 0.06, clause: 0.2, sentence: 0.4, paragraph: 0.9 } as const;

export interface TextPart {
  /** Trimmed; every run of white space is one space. */
  readonly text: string;
  readonly end: PartEnd;
  readonly pauseSeconds: number;
  /** Where it was written otherwise than it is spoken, if anywhere. */
  readonly stretches?: readonly WrittenStretch[] | undefined;
  /** The language of its first words, where it was normalized. */
  readonly language?: FoundLanguage | undefined;
}

export interface SplitOptions {
  /**
   * Maximum length of a part. A Chinese, Japanese or Korean character counts as three letters, as it takes as long to
   * say.
   */
  readonly maxCharacters: number;
  /** Rewrites a paragraph before it is split, such as by cleaning. */
  readonly rewrite?: (paragraph: string) => Steps<SpokenText>;
  /** Where paragraphs are cut (default: as found in the text). */
  readonly breaks?: readonly Span[] | undefined;
}

/** Length of a text in letters; see `maxCharacters`. */
export function speechLength(text: string): number {
  let length = text.length;
  for (const _ of text.matchAll(eachSyllabic)) length += 2;
  return length;
}

/**
 * Lazily yields the parts of a text in order, and waits between them. Together they are the text, except for white space and pieces with
 * nothing to speak. A text with nothing to speak has no parts.
 */
export function* splitSteps(
  text: string,
  { maxCharacters, rewrite = (text) => withSegments(text, []), breaks }: SplitOptions,
): Generator<TextPart | Wait, void, undefined> {
  for (const original of paragraphsOf(text, breaks)) {
    const spoken = yield* rewrite(original);
    const { text: paragraph } = spoken;
    yield;
    if (!isSpeakable(paragraph)) continue;
    let pending: Measured | undefined;
    /** Where the pending piece begins. */
    let from = 0;
    for (const piece of fitted(mendMarkup(paragraph, sentencePieces(spoken)), maxCharacters)) {
      yield;
      if (piece === undefined) continue;
      if (pending === undefined) {
        pending = piece;
      } else if (shouldJoin(pending, piece, maxCharacters)) {
        pending = joined(pending, piece);
      } else {
        yield* speak(pending, spoken, from);
        from += pending.text.length;
        pending = piece;
      }
    }
    if (pending !== undefined) yield* speak({ ...pending, end: 'paragraph' }, spoken, from);
  }
}

/** The first part of a sentence that is longer than a part, as written. */
export function firstPiece(sentence: string, maxCharacters: number): Piece {
  const whole: Piece = { text: sentence, end: 'sentence' };
  const [first = whole] = withoutSteps(fitted([whole], maxCharacters));
  return first;
}

interface Measured extends Piece {
  readonly length: number;
}

const joined = (first: Measured, second: Measured): Measured => ({
  text: first.text + second.text,
  end: second.end,
  length: first.length + second.length,
});

/** Whether to join neighbors: pieces cut around a long one may be tiny, and tiny parts are spoken badly. */
const shouldJoin = (first: Measured, second: Measured, limit: number): boolean =>
  Math.min(first.length, second.length) < limit / 4 && first.length + second.length <= limit;

function* speak({ text: piece, end }: Piece, spoken: SpokenText, from: number): Generator<TextPart> {
  const text = collapseWhitespace(piece).trim();
  if (!isSpeakable(text)) return;
  const stretches = stretchesWithin(spoken, from, from + piece.length);
  const language = languageAt(spoken, from);
  yield {
    text,
    end,
    pauseSeconds: pauseSeconds[end],
    ...(stretches.length > 0 && { stretches }),
    ...(language !== undefined && { language }),
  };
}

function* sentencePieces(spoken: SpokenText): Generator<Piece> {
  for (const { start, end } of sentencesOfSpoken(spoken))
    yield { text: spoken.text.slice(start, end), end: 'sentence' };
}

/** Joins pieces up to the limit; a longer piece is cut by the first cutter, its pieces by the next. */
function* fitted(
  pieces: Iterable<Piece | undefined>,
  limit: number,
  [cutter, ...finer]: readonly Cutter[] = finePieces,
): Generator<Measured | undefined> {
  let run: Measured[] = [];
  let total = 0;
  for (const piece of pieces) {
    if (piece === undefined) {
      yield;
      continue;
    }
    const length = speechLength(piece.text);
    if (length > limit && cutter !== undefined) {
      yield* pack(run, limit);
      run = [];
      total = 0;
      yield* fitted(cutter(piece), limit, finer);
      continue;
    }
    run.push({ ...piece, length });
    total += length;
    // Pack a long paragraph while reading, so that not all of its pieces are held.
    if (total > 8 * limit) {
      const packed = [...pack(run, limit)];
      const last = packed.pop() as Measured;
      yield* packed;
      run = [last];
      total = last.length;
    }
  }
  yield* pack(run, limit);
}

/** Joins neighbors to as few pieces as possible, of similar length, as a tiny last part is spoken badly. */
function* pack(run: readonly Measured[], limit: number): Generator<Measured> {
  let left = run.reduce((sum, { length }) => sum + length, 0);
  let current: Measured | undefined;
  for (const piece of run) {
    if (current === undefined) {
      current = piece;
      continue;
    }
    const both = joined(current, piece);
    // The target length is recomputed from the rest for every part.
    const share = left / Math.ceil(left / limit);
    if (both.length > limit || both.length - share > share - current.length) {
      yield current;
      left -= current.length;
      current = piece;
    } else {
      current = both;
    }
  }
  if (current !== undefined) yield current;
}
