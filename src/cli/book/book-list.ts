/** The chapters of a book for `--list`, and what is left out of it. */
import type { Book } from '../../book/book.ts';
import { describeLeftOut } from '../../book/left-out.ts';
import type { ListedChapter } from '../../book/list-chapters.ts';
import { round } from '../output/units.ts';
import type { BookOptions } from './book-options.ts';

/** Lines for people, or one of JSON. */
export function describeChapters(
  { title, author, language, leftOut, firstLeftOut = {} }: Omit<Book, 'chapters'>,
  chapters: readonly ListedChapter[],
  { json, speed = 1 }: BookOptions,
  warnings: readonly string[],
): string {
  if (json) {
    const listed = chapters.map(({ number, title: name, characters, seconds }) => {
      return { number, title: name, characters, seconds: round(seconds / speed, 1) };
    });
    const about = { title, author: author ?? null, language: language ?? null };
    const line = { ...about, chapters: listed, leftOut, firstLeftOut, warnings };
    return `${JSON.stringify(line)}\n`;
  }
  const total = (what: 'characters' | 'seconds'): number => chapters.reduce((sum, chapter) => sum + chapter[what], 0);
  const row = (number: string, characters: number, seconds: number, name: string): string =>
    `${number.padStart(4)}  ${String(characters).padStart(10)}  ${clock(seconds / speed).padStart(8)}  ${name}`;
  const lines = [
    `${'no.'.padStart(4)}  characters  ${'time'.padStart(8)}  title`,
    ...chapters.map(({ number, characters, seconds, title: name }) => row(String(number), characters, seconds, name)),
    row('', total('characters'), total('seconds'), author === undefined ? title : `${title} by ${author}`),
    describeLeftOut({ leftOut, firstLeftOut }) ?? [],
  ].flat();
  return `${lines.join('\n')}\n`;
}

/** `1:02:03`, estimated. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return `${hours === 0 ? minutes : `${hours}:${two(minutes)}`}:${two(whole % 60)}`;
}
