/** The chapters of a book for `--list`, and what is left out of it. */
import type { Book } from '../../book/book.ts';
import { describeLeftOut } from '../../book/left-out.ts';
import type { ListedChapter } from '../../book/list-chapters.ts';
import { round } from '../output/units.ts';
import type { BookOptions } from './book-options.ts';

/** Lines for people, or one of JSON. */
export function describeChapters(
  book: Omit<Book, 'chapters'>,
  all: readonly ListedChapter[],
  { json, speed = 1 }: BookOptions,
  warnings: readonly string[],
): string {
  const { title, author = null, language = null, leftOut, firstLeftOut = {} } = book;
  const chapters = all.map(({ number, title: name, characters, seconds }) => {
    return { number, title: name, characters, seconds: seconds / speed };
  });
  if (!json) return chapterTable(book, chapters, 'characters', total(all, 'seconds') / speed);
  const listed = chapters.map(({ seconds, ...chapter }) => ({ ...chapter, seconds: round(seconds, 1) }));
  return `${JSON.stringify({ title, author, language, chapters: listed, leftOut, firstLeftOut, warnings })}\n`;
}

export const total = <Name extends string>(chapters: readonly Readonly<Record<Name, number>>[], name: Name): number =>
  chapters.reduce((sum, chapter) => sum + chapter[name], 0);

/** Lines about chapters and the whole book, whose length is in `seconds`; then findings, and what is left out. */
export function chapterTable<Measure extends 'characters' | 'words'>(
  { title, author, leftOut, firstLeftOut = {} }: Omit<Book, 'chapters'>,
  chapters: readonly (Pick<ListedChapter, 'number' | 'title' | 'seconds'> & Readonly<Record<Measure, number>>)[],
  measure: Measure,
  seconds: number,
  findings: readonly string[] = [],
): string {
  const row = (number: string, length: string, time: string, name: string): string =>
    `${number.padStart(4)}  ${length.padStart(Math.max(9, measure.length))}  ${time.padStart(8)}  ${name}`;
  const lines = [
    row('no.', measure, 'time', 'title'),
    ...chapters.map((each) => row(String(each.number), String(each[measure]), clock(each.seconds), each.title)),
    row('', String(total(chapters, measure)), clock(seconds), author === undefined ? title : `${title} by ${author}`),
    ...findings,
    describeLeftOut({ leftOut, firstLeftOut }) ?? [],
  ].flat();
  return `${lines.join('\n')}\n`;
}

/** `1:02:03`, estimated. */
function clock(seconds: number): string {
  const whole = Math.round(seconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return `${hours === 0 ? minutes : `${hours}:${two(minutes)}`}:${two(whole % 60)}`;
}
