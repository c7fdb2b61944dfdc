/** A text as it is spoken, and where it was written otherwise, such as `$5` for "five dollars". */
import { isWait, type Steps, type Wait } from '../../event-loop.ts';
import type { LanguageStretch } from './language/language-reader.ts';
import { collapseWhitespace } from './normalize.ts';
import { sentencesOf } from './sentences.ts';
import type { Span } from './span.ts';
import type { SpokenSegment } from './verbalize/classify.ts';

/** A stretch of a spoken text, and how it was written. */
export interface WrittenStretch extends Span {
  readonly written: string;
}

export interface SpokenText {
  readonly text: string;
  /** In their order, without overlaps. */
  readonly stretches: readonly WrittenStretch[];
  /** Its languages from a place of the spoken text on, in their order; none where nothing was normalized. */
  readonly languages?: readonly LanguageStretch[] | undefined;
}

/** Replaces segments, which are in their order, by what is spoken. Where there is undefined, other work may go first. */
export function* withSegments(
  text: string,
  segments: Iterable<SpokenSegment | LanguageStretch | Wait>,
): Steps<SpokenText> {
  let spoken = '';
  let end = 0;
  const stretches: WrittenStretch[] = [];
  const languages: LanguageStretch[] = [];
  for (const segment of segments) {
    if (isWait(segment)) {
      yield segment;
      continue;
    }
    if ('language' in segment) {
      languages.push({ ...segment, start: spoken.length + segment.start - end });
      continue;
    }
    spoken += text.slice(end, segment.start);
    const written = text.slice(segment.start, segment.end);
    stretches.push({ start: spoken.length, end: spoken.length + segment.spoken.length, written });
    spoken += segment.spoken;
    end = segment.end;
  }
  return { text: spoken + text.slice(end), stretches, languages };
}

/** The text as it was written, but for what was respelled or cleaned. */
export function writtenOf({ text, stretches }: Pick<SpokenText, 'text' | 'stretches'>): string {
  let written = '';
  let end = 0;
  for (const stretch of stretches) {
    written += text.slice(end, stretch.start) + stretch.written;
    end = stretch.end;
  }
  return written + text.slice(end);
}

/** The language in which a spoken text is at a place. */
export const languageAt = ({ languages = [] }: SpokenText, place: number): LanguageStretch['language'] | undefined =>
  languages.findLast(({ start }) => start <= place)?.language;

/** Stretches within a part of a spoken text, in the text of the part, whose white space is collapsed. */
export function stretchesWithin({ text, stretches }: SpokenText, from: number, to: number): readonly WrittenStretch[] {
  const whole = stretches.filter(({ start, end }) => start >= from && end <= to);
  if (whole.length === 0) return whole;
  const piece = text.slice(from, to);
  const place = (at: number): number => collapseWhitespace(piece.slice(0, at - from)).trimStart().length;
  return whole.map(({ start, end, written }) => ({ start: place(start), end: place(end), written }));
}

/**
 * Yields the sentences of a spoken text, which end where those of the written text do: "one. First item" is the item `1. First
 * item`, and "five PM. Eastern" has no end inside.
 */
export function* sentencesOfSpoken(spoken: SpokenText): Generator<Span> {
  const { stretches } = spoken;
  let start = 0;
  let next = 0;
  /** How much longer the written text is up to there. */
  let longer = 0;
  for (const sentence of sentencesOf(writtenOf(spoken))) {
    let place = sentence.end - longer;
    for (let stretch = stretches[next]; stretch !== undefined && stretch.start < place; stretch = stretches[++next]) {
      longer += stretch.written.length - (stretch.end - stretch.start);
      place = Math.max(stretch.end, sentence.end - longer);
    }
    if (place > start) yield { start, end: place };
    start = place;
  }
}
