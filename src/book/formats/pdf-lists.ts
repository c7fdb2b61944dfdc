/** The table of contents and the alphabetical index of a PDF, by the page numbers that their lines end with. */
import type { LeftOutCounter } from '../left-out.ts';
import type { Line } from './pdf-lines.ts';
import { contentsTitle, titleKey } from './text-contents.ts';
import { isBareHeading } from './text-headings.ts';

type Pages = readonly (readonly Line[])[];
type Titles = ReadonlyMap<number, readonly string[]>;

/** A line of the book, and the number of its page from 0. */
interface Placed {
  readonly page: number;
  readonly text: string;
  readonly line: Line;
}

const indexTitle =
  /^(?:(?:[\p{L} ]{1,30} )?index(?: of [\p{L} ]{1,30})?|index (?:lexical|alphabétique|des \p{L}{1,20})|(?:stichwort|sach|personen|namen)?(?:register|verzeichnis)|índice (?:alfabético|analítico)|indice analitico|(?:trefwoorden|zaken)?register|indeks)$/iu;
const isIndexTitle = (text: string): boolean =>
  text.length <= longestTitle && /^\p{Lu}/u.test(text) && indexTitle.test(text);
/** A line of an index: it ends with a page, refers to another entry, or is a letter. */
const indexEntry = /\d[.,;]?$|(?:^|\s)(?:see|siehe|s\.|voir|véase|vedi)\s|^\p{Lu}$/u;
/** Share of the pages in front of an index. */
const indexFrom = 0.5;
/** Share of the lines of a page of an index that end with pages. */
const mostEntries = 0.6;

const longestEntry = 300;
const longestTitle = 100;
/** Lines in a row without a page: the title of a part, or the beginning of a long title. */
const mostWithout = 3;
const fewestEntries = 2;
/** Entries with dots, without a title above them. */
const fewestDotted = 5;
/** Lines that look like the title of an index. */
const mostTries = 100;
/** Numbers of pages beyond those that the file has. */
const morePages = 20;

/** @returns the pages without them, and the titles of the outline without theirs */
export function withoutLists(
  pages: Pages,
  titles: Titles,
  leftOut: LeftOutCounter,
): { readonly pages: Pages; readonly titles: Titles } {
  const lines = pages.flatMap((own, page) => own.map((line): Placed => ({ page, text: line.text, line })));
  const left = new Set<Line>();
  const withoutTitle = new Map(titles);
  const leave = (kind: 'contents' | 'index', from: number, to: number): void => {
    const own = lines.slice(from, to);
    for (const { line } of own) left.add(line);
    leftOut.count(kind, own.map(({ text }) => text).join(' '));
    const [first] = own;
    const outline = withoutTitle.get(first?.page ?? -1) ?? [];
    const listed = outline.filter((title) => title.toLowerCase() !== first?.text.toLowerCase());
    if (first !== undefined && listed.length < outline.length) withoutTitle.set(first.page, listed);
  };
  let tries = 0;
  for (let at = 0; at < lines.length; at += 1) {
    const isTitle = isIndexTitle((lines[at] as Placed).text);
    if (isTitle) tries += 1;
    const contents = leftOut.leaves('contents') ? endOfContents(lines, at, pages.length) : undefined;
    const end =
      contents ?? (isTitle && tries <= mostTries && leftOut.leaves('index') ? endOfIndex(lines, at, pages) : undefined);
    if (end === undefined) continue;
    leave(contents === undefined ? 'index' : 'contents', at, end);
    at = end - 1;
  }
  if (left.size === 0) return { pages, titles };
  return { pages: pages.map((own) => own.filter((line) => !left.has(line))), titles: withoutTitle };
}

/** The page at the end of a line, and whether dots lead to it. */
function pageOf(text: string): { readonly page: number | undefined; readonly isDotted: boolean } | undefined {
  if (text.length > longestEntry) return undefined;
  const [, lead = '', number = ''] = /(?<![\s.…·_])([\s.…·_]{1,200})(\d{1,4}|[ivxlc]{1,7})$/u.exec(text) ?? [];
  if (number === '' || !/\p{L}/u.test(text.slice(0, -number.length))) return undefined;
  const isDotted = /(?:[.·_]\s?){3}|…/u.test(lead);
  return isDotted || !isBareHeading(text)
    ? { page: /\d/.test(number) ? Number(number) : undefined, isDotted }
    : undefined;
}

/** Where the contents end that begin with a line: their title, or entries with dots. */
function endOfContents(lines: readonly Placed[], start: number, pages: number): number | undefined {
  const { text } = lines[start] as Placed;
  const isTitled = contentsTitle.test(text);
  if (!isTitled && pageOf(text)?.isDotted !== true) return undefined;
  const keys = new Set<string>();
  let [count, dotted, without, last] = [0, 0, 0, start];
  let [least, most] = [0, Number.POSITIVE_INFINITY];
  for (let at = isTitled ? start + 1 : start; at < lines.length && without <= mostWithout; at += 1) {
    const { text: own } = lines[at] as Placed;
    const entry = pageOf(own);
    const isNext = entry !== undefined && (entry.page === undefined || (entry.page >= least && entry.page <= most));
    const key = titleKey(own);
    if (!isNext) {
      // A heading that is listed, or a paragraph.
      if (keys.has(key) || own.length > longestTitle || /^\p{Ll}|[.!?]["”’»]?$/u.test(own)) break;
      without += 1;
      continue;
    }
    if (!isTitled && !entry.isDotted) break;
    keys.add(key);
    if (entry.page !== undefined) {
      if (least === 0) most = entry.page + pages + morePages;
      least = entry.page;
    }
    count += 1;
    if (entry.isDotted) dotted += 1;
    without = 0;
    last = at;
  }
  const isContents = isTitled ? count >= fewestEntries || dotted > 0 : dotted >= fewestDotted;
  return isContents ? last + 1 : undefined;
}

/** Where an index ends that begins with its title. */
function endOfIndex(lines: readonly Placed[], start: number, pages: Pages): number | undefined {
  const { page } = lines[start] as Placed;
  if (page + 1 < pages.length * indexFrom) return undefined;
  let end: number | undefined;
  for (let at = start + 1, own = page; own < pages.length; own += 1) {
    let to = at;
    while (lines[to]?.page === own) to += 1;
    const entries = lines
      .slice(at, to)
      .map(({ text: entry }) => entry.length <= longestEntry && indexEntry.test(entry));
    const count = entries.filter(Boolean).length;
    if (count === 0 || count < entries.length * mostEntries) break;
    end = at + entries.lastIndexOf(true) + 1;
    at = to;
  }
  return end;
}
