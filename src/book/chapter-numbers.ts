/** Chapters by their numbers. */
import { z } from 'zod';
import { listed, show } from '../messages.ts';
import { invalid, parse, requestError } from '../validation.ts';

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Numbers of chapters such as `3-7,12`; an open end, as in `5-`, is the last chapter. */
export type ChapterNumbers = readonly Span[];

/**
 * @param flag names the text in messages
 * @throws SvcError INVALID_REQUEST
 */
export function parseChapterNumbers(text: string, flag = 'chapters'): ChapterNumbers {
  if (typeof text !== 'string') throw invalid('numbers of chapters such as 3-7,12', flag, show(text));
  return text.split(',').map((part) => {
    const [, first, dash, last] = /^\s{0,9}(\d{1,6})(?:\s{0,9}(-)\s{0,9}(\d{1,6})?)?\s{0,9}$/.exec(part) ?? [];
    const from = Number(first);
    const to = dash === undefined ? from : last === undefined ? Number.POSITIVE_INFINITY : Number(last);
    if (first === undefined || from < 1 || to < from)
      throw invalid('numbers of chapters such as 3-7,12', flag, show(text));
    return { from, to };
  });
}

export interface ChapterChoice {
  /** All when left out. */
  readonly chapters?: ChapterNumbers | undefined;
  readonly skip?: ChapterNumbers | undefined;
}

const listSchema = z.array(z.looseObject({ number: z.number() }), { error: 'a list of chapters with their numbers' });
const spans = z
  .array(z.object({ from: z.number(), to: z.union([z.number(), z.literal(Number.POSITIVE_INFINITY)]) }))
  .optional();
const choiceSchema = z.object({ chapters: spans, skip: spans });

/**
 * The chosen chapters, in the order of the book.
 *
 * @throws SvcError INVALID_REQUEST for a number that no chapter has, or if none is left
 */
export function chooseChapters<Chapter extends { readonly number: number }>(
  all: readonly Chapter[],
  choice: ChapterChoice,
): readonly Chapter[] {
  parse(z.object({ chapters: listSchema }), { chapters: all });
  const { chapters, skip } = parse(choiceSchema, choice, 'the choice of chapters');
  const named = [...(chapters ?? []), ...(skip ?? [])];
  const missing = named
    .flatMap(({ from, to }) => [from, to])
    .filter((number) => number > all.length && number < Infinity);
  if (missing.length > 0) {
    const numbers = [...new Set(missing)].map(String);
    throw requestError(`the book has ${all.length} chapters, not ${listed(numbers)}; --list lists them`);
  }
  const isIn = (spans: ChapterNumbers, number: number): boolean =>
    spans.some(({ from, to }) => number >= from && number <= to);
  const chosen = all.filter(
    ({ number }) => (chapters === undefined || isIn(chapters, number)) && !(skip !== undefined && isIn(skip, number)),
  );
  if (chosen.length === 0 && all.length > 0) throw requestError('no chapter is left to speak; --list lists them');
  return chosen;
}
