/** Paragraphs and headings of the lines of a PDF, without running heads, page numbers and footnotes. */
import { largest } from '../../extremes.ts';
import { lettersOf } from '../chapter-pieces.ts';
import { GrowingText } from '../growing-text.ts';
import type { LeftOutCounter } from '../left-out.ts';
import { type Line, type Page, usualHeight } from './pdf-lines.ts';
import { withoutLists } from './pdf-lists.ts';
import { withoutNoteNumbers, withoutNotes } from './pdf-notes.ts';
import { isChapterLine } from './text-headings.ts';
import { escapeHtml } from './xml-to-html.ts';

/** Titles of the outline by the index of their page. */
export type Outline = ReadonlyMap<number, readonly string[]>;

/** A line without its numbers, to find what repeats. */
const pattern = ({ text }: Line): string => text.replace(/\d+|\b[ivxlc]+\b/gi, '#').toLowerCase();
const pageNumber =
  /^(?:[-–—[(]?\s?)?(?:(?:page|p\.)\s?)?(?:\d{1,5}|[ivxlc]{1,8})(?:\s?(?:of|\/)\s?\d{1,5})?(?:\s?[-–—\])])?$/i;
const sentenceEnd = /[.!?…"”»:)]$/u;
const longestHeading = 100;
const fewPages = 4;

export function pagesToHtml(pages: readonly Page[], outlined: Outline, leftOut: LeftOutCounter): string {
  const repeated = repeatedLines(pages);
  const usual = usualHeight(pages.flatMap(({ lines }) => lines));
  const isCoarse = isCoarseOutline(pages, outlined);
  const inner = pages.map(({ lines }) => withoutEdges(lines, repeated, leftOut));
  const { pages: read, titles } = withoutLists(withoutNotes(inner, usual, leftOut), outlined, leftOut);
  const html: string[] = [];
  let open = new GrowingText();
  let heading: { line: Line; readonly text: GrowingText; readonly level: 1 | 2 } | undefined;
  let width = 0;
  const finish = (): void => {
    if (heading !== undefined) html.push(`<h${heading.level}>${escapeHtml(heading.text.whole())}</h${heading.level}>`);
    if (open.length > 0) html.push(`<p>${escapeHtml(withoutNoteNumbers(open.whole(), leftOut))}</p>`);
    open = new GrowingText();
    heading = undefined;
  };
  for (const [index, lines] of read.entries()) {
    const outline = (titles.get(index) ?? []).map((title) => ({ title, letters: lettersOf(title) }));
    const named = new Set(outline.map(({ letters }) => letters).filter((letters) => letters !== ''));
    const printed = new Set(named.size === 0 ? [] : lines.map(({ text }) => lettersOf(text)));
    /** Titles that the page has in other words, or over several lines. */
    let others = [...named].filter((letters) => !printed.has(letters)).length;
    const longest = lines.reduce((most, { text }) => Math.max(most, text.length), 0);
    width = Math.max(longest, width * 0.8);
    let before: Line | undefined;
    for (const [place, line] of lines.entries()) {
      const letters = named.size === 0 ? '' : lettersOf(line.text);
      const listed = named.has(letters) ? outline.findIndex((title) => title.letters === letters) : -1;
      const isLarge =
        (titles.size === 0 || others > 0) && line.height > usual * 1.25 && line.text.length < longestHeading;
      const isNamed = isCoarse && isApart(lines, place, usual) && isChapterLine(line.text);
      if (listed !== -1 || isNamed || (isLarge && /[\p{L}\p{N}]/u.test(line.text))) {
        // A title may have several lines.
        if (listed === -1 && heading !== undefined && isNextLine(heading.line, line)) {
          addLine(heading.text, line.text);
          heading.line = line;
          continue;
        }
        finish();
        if (listed !== -1) outline.splice(listed, 1);
        const isOther = listed === -1 && isLarge && others > 0;
        if (isOther) others -= 1;
        heading = {
          line,
          text: new GrowingText(line.text),
          level: titles.size > 0 && listed === -1 && !isOther ? 2 : 1,
        };
        before = undefined;
        continue;
      }
      if (heading !== undefined) finish();
      const isSplit =
        before === undefined
          ? isIndented(line, usual) && open.length > 0 && sentenceEnd.test(open.end)
          : begins(line, before, usual, width);
      if (isSplit) finish();
      addLine(open, line.text);
      before = line;
    }
    // A sentence continues on the next page.
    if (/[.!?…"”»]$/u.test(open.end)) finish();
    const [first] = outline;
    if (html.length === 0 && heading === undefined && first !== undefined)
      html.push(`<h1>${escapeHtml(first.title)}</h1>`);
  }
  finish();
  return html.join('\n');
}

const isNextLine = (one: Line, other: Line): boolean =>
  Math.abs(one.height - other.height) < 1.5 &&
  one.y > other.y &&
  one.y - other.y < Math.max(one.height, other.height) * 1.8;

/** Characters of a chapter that an outline lists; more are a volume. */
const longestListed = 100_000;

/** Whether there is no outline, or one of volumes. */
function isCoarseOutline(pages: readonly Page[], titles: Outline): boolean {
  const characters = pages.reduce((sum, { lines }) => lines.reduce((own, { text }) => own + text.length, sum), 0);
  const listed = [...titles.values()].reduce((sum, own) => sum + own.length, 0);
  return characters > listed * longestListed;
}

/** Whether there is more room than usual around a line. */
function isApart(lines: readonly Line[], place: number, usual: number): boolean {
  const [before, line, behind] = [lines[place - 1], lines[place], lines[place + 1]];
  if (line === undefined) return false;
  const above = before === undefined ? usual * 9 : before.y - line.y;
  const below = behind === undefined ? usual * 9 : line.y - behind.y;
  return (above > usual * 1.6 || above < 0) && (below > usual * 1.6 || below < 0);
}

const isIndented = ({ x, margin }: Line, usual: number): boolean => x - margin > usual * 0.8 && x - margin < usual * 6;

function begins(line: Line, before: Line, usual: number, width: number): boolean {
  const gap = before.y - line.y;
  const moved = line.x - before.x > usual * 0.8 && line.margin === before.margin;
  const isShort = before.text.length < width * 0.7 && /[.!?…"”»:]$/u.test(before.text);
  // A column continues at its top.
  const isNextColumn = gap < 0 && line.margin !== before.margin;
  if (isNextColumn) return isIndented(line, usual) && sentenceEnd.test(before.text);
  return gap > usual * 1.9 || moved || isShort;
}

/** The lines of a page without those at its edges. */
function withoutEdges(lines: readonly Line[], repeated: ReadonlySet<string>, leftOut: LeftOutCounter): readonly Line[] {
  const edges = edgesOf(lines);
  const leavesNumbers = leftOut.leaves('page-numbers');
  return lines.filter((line) => {
    // `Chapter 7` may be a heading; a running head says so on several pages.
    const isRepeated = repeated.has(isChapterLine(line.text) ? line.text : pattern(line));
    const isEdge = edges.has(line) && leavesNumbers && (pageNumber.test(line.text) || isRepeated);
    if (isEdge) leftOut.count('page-numbers', line.text);
    return !isEdge;
  });
}

/** The two highest and the two lowest lines. */
function edgesOf(lines: readonly Line[]): ReadonlySet<Line> {
  const byHeight = [...lines].sort((one, other) => other.y - one.y);
  return new Set([...byHeight.slice(0, 2), ...byHeight.slice(2).slice(-2)]);
}

/** Running heads and feet: what the edges of at least three pages have alike at the same height, or those of a third of the pages. */
function repeatedLines(pages: readonly Page[]): ReadonlySet<string> {
  const counts = new Map<string, { count: number; readonly heights: Map<number, number> }>();
  for (const { lines } of pages) {
    const seen = new Set<string>();
    for (const line of edgesOf(lines)) {
      const key = isChapterLine(line.text) ? line.text : pattern(line);
      if (seen.has(key)) continue;
      seen.add(key);
      const found = counts.get(key) ?? { count: 0, heights: new Map<number, number>() };
      found.count += 1;
      const height = Math.round(line.y / 3);
      found.heights.set(height, (found.heights.get(height) ?? 0) + 1);
      counts.set(key, found);
    }
  }
  const least = Math.max(3, pages.length / 3);
  // Two of a few pages may show it, at the same height.
  const atHeight = pages.length <= fewPages ? 2 : 3;
  const repeated = [...counts].filter(
    ([, { count, heights }]) => count >= least || largest(heights.values()) >= atHeight,
  );
  return new Set(repeated.map(([key]) => key));
}

/** The next line of a paragraph; a word that is divided is one again. */
function addLine(text: GrowingText, line: string): void {
  const isDivided = /\p{Ll}[-\u00ad]$/u.test(text.end) && /^\p{Ll}/u.test(line);
  if (isDivided) text.cut();
  const isSpaceless = text.length === 0 || /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}、。，]$/u.test(text.end);
  text.add((isDivided || isSpaceless ? '' : ' ') + line);
}
