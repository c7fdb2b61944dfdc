/** Tables of contents in a plain text: where they are, and the titles that they list. */
import { lettersOf } from '../chapter-pieces.ts';
import { isBareHeading, withoutNumber } from './text-headings.ts';
import { blockFrom, emptyFrom, type Layout, sentenceEnd, type TextLine, type TextLines, widest } from './text-lines.ts';

export const contentsTitle =
  /^(?:(?:table of )?contents|inhalt(?:sverzeichnis)?|table des matières|índice|indice|оглавление|содержание|目录|目錄|目次|inhoud|spis treści|innehåll|sisällys)[.:]?$/iu;
const mostEntries = 600;
const mostTables = 4;
/** Lines that look like the title of a table. */
const mostTries = 16;
/** Lines of headings above the first paragraph. */
const mostHeadings = 12;
/** Entries of which one is the first heading behind the table. */
const firstEntries = 6;
const shortestTitle = 4;

/** To compare a line with an entry: its letters without the number of a chapter or page. */
export const titleKey = (line: string): string =>
  lettersOf(withoutNumber(line.replace(/[.\s…·_-]{2,99}(?:\d{1,4}|[ivxlc]{1,7})\s{0,9}$|\s\d{1,4}$/u, '')));

/** The key of a line such as `CHAPTER I`, whose title may stand below. */
const bareKey = (line: string): string =>
  isBareHeading(line)
    ? line
        .toLowerCase()
        .replace(/[.:\s]{1,9}/g, ' ')
        .trim()
    : '';

export function contentsIn(lines: TextLines, layout: Layout) {
  /** Numbers of their first lines, and of the lines behind them. */
  const places = new Map<number, number>();
  /** Letters of the titles that they list, as `titleKey` has them. */
  const titles = new Set<string>();
  let tries = 0;
  for (const [index, { text }] of lines.entries()) {
    if (!contentsTitle.test(text)) continue;
    tries += 1;
    if (places.size >= mostTables || tries > mostTries) break;
    const end = layout.isDense ? endOfEntries(lines, index) : endOfContents(lines, index, layout);
    if (end === undefined) continue;
    places.set(index, end);
    let above = '';
    for (const { text: entry } of lines.slice(index + 1, end)) {
      if (entry === '') continue;
      const key = titleKey(entry);
      // The titles of numbers are not headings by themselves.
      const isWhole = layout.isDense || (withoutNumber(entry) === entry && !isBareHeading(above));
      if (key.length >= shortestTitle && isWhole) titles.add(key);
      above = entry;
    }
  }
  if (places.size === 0) addBullets(lines, places, titles);
  return { places, titles };
}

/** The page behind an entry of a text without empty lines. */
const pageBehind = /(?:\t|[.…·_ ]{2})(?:\d{1,4}|[ivxlc]{1,7})$/u;

function endOfEntries(lines: TextLines, start: number): number | undefined {
  let end = start + 1;
  while (end < lines.length && pageBehind.test(lines[end]?.text ?? '')) end += 1;
  return end > start + 1 ? end : undefined;
}

const bullet = /^[-•*·–]\s{1,9}(?=\S)/u;
/** Lines in front of which contents without a title begin. */
const mostAhead = 60;

/** Adds a list in front of the text whose entries are all lines of their own below it, as pandoc writes contents. */
function addBullets(lines: TextLines, places: Map<number, number>, titles: Set<string>): void {
  const start = lines.slice(0, mostAhead).findIndex(({ text }) => bullet.test(text));
  if (start === -1) return;
  const entries = blockFrom(lines, start, mostEntries).map(({ text }) => text);
  const keys = entries.map((text) => titleKey(text.replace(bullet, '')));
  if (entries.length < fewestBullets || entries.some((text) => !bullet.test(text))) return;
  const left = new Set(keys);
  for (const [index, { text }] of lines.entries())
    if (index >= start + entries.length && lines[index - 1]?.text === '' && lines[index + 1]?.text === '')
      left.delete(titleKey(text));
  if (left.size > 0) return;
  places.set(start, start + entries.length);
  for (const key of keys) titles.add(key);
}
const fewestBullets = 3;

/** A table ends where one of its first entries is a heading above a paragraph, else at the gap before such a heading. */
function endOfContents(lines: TextLines, start: number, layout: Layout): number | undefined {
  const entries: number[] = [];
  let first: readonly number[] | undefined;
  for (let at = start + 1; at < lines.length && at - start < mostEntries; ) {
    const block = blockFrom(lines, at, mostEntries);
    if (block.length === 0) at += 1;
    else {
      if (isProse(block, layout)) {
        first ??= [...entries];
        const end = repeatedHeading(lines, entries, first.length);
        if (end !== undefined) return end;
      }
      for (let line = at; line < at + block.length; line += 1) entries.push(line);
      at += block.length;
    }
  }
  const [entry = -1] = entries;
  const again = entries.findIndex((line, index) => index > 0 && isSame(lines, entries, 0, index) && line > entry);
  if (again > 0) return entries[again];
  // The last gap above the first paragraph.
  const gap = first?.slice(-mostHeadings).find((line) => emptyFrom(lines, line - 1, -1) > 1 && line !== first?.[0]);
  return first !== undefined && gap !== undefined && first.indexOf(gap) > 1 ? gap : undefined;
}

/**
 * The first of the headings above a paragraph that one of the first entries is, too.
 *
 * @param filled lines with words
 * @param listed how many of them are in front of the first paragraph
 */
function repeatedHeading(lines: TextLines, filled: readonly number[], listed: number): number | undefined {
  for (let index = Math.max(1, filled.length - mostHeadings); index < filled.length; index += 1)
    for (let entry = 0; entry < Math.min(firstEntries, index, listed); entry += 1)
      if (isSame(lines, filled, entry, index)) return filled[index];
  return undefined;
}

/** Whether a line, perhaps with the next one, has the title or number of an entry before it. */
function isSame(lines: TextLines, filled: readonly number[], entry: number, index: number): boolean {
  if (emptyFrom(lines, (filled[index] ?? 0) - 1, -1) === 0) return false;
  const keysAt = (place: number): readonly string[] => {
    const [own, next] = [place, place + 1].map((at) => lines[filled[at] ?? -1]?.text ?? '') as [string, string];
    // The line in question is no title of the entry above it.
    const both = place + 1 === index ? '' : titleKey(own) + titleKey(next);
    return [titleKey(own), both, bareKey(own)].filter((key) => key.length >= shortestTitle);
  };
  const own = keysAt(index);
  return keysAt(entry).some((key) => own.includes(key));
}

/** Whether lines are of a paragraph: they fill the page and continue in the middle of a sentence. */
function isProse(block: TextLines, { width }: Layout): boolean {
  const last = block.at(-1) as TextLine;
  if (!sentenceEnd.test(last.text)) return false;
  if (block.some((line) => line.width > widest)) return true;
  return block.slice(1).some(({ text }, index) => {
    const before = block[index] as TextLine;
    return before.width >= width * 0.75 && !sentenceEnd.test(before.text) && /^[\p{Ll}\p{Lo}]/u.test(text);
  });
}
