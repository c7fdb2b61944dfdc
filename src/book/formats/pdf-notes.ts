/** Notes of a PDF: at the foot of a page, in its middle, and at the end of the book. */
import type { LeftOutCounter } from '../left-out.ts';
import type { Line } from './pdf-lines.ts';

type Lines = readonly Line[];
type Pages = readonly Lines[];

const noteMark = /^(?:\[?\d{1,3}[\]).]?|[*†‡§¶]{1,3}|[⁰¹²³⁴-⁹]{1,3})\s?\S/u;
/** The mark of an end note that begins with it. */
const romanAhead = /^([ivx]{1,6})\s?(?=["“‘«]?\p{Lu})/u;

/** Whether a line is in smaller letters than most. */
const isSmaller = ({ height }: Line, usual: number): boolean => height < usual * 0.92;

const isEndNote = ({ text }: Line, marks: ReadonlySet<string>): boolean => marks.has(romanAhead.exec(text)?.[1] ?? '');

/** The lines of pages without those of notes. */
export function withoutNotes(pages: Pages, usual: number, leftOut: LeftOutCounter): Pages {
  if (!leftOut.leaves('notes')) return pages;
  const marks = romanMarks(pages.flat());
  const end = firstOfEndNotes(pages, marks);
  return pages.map((lines, index) => {
    const notes = index < end ? [] : lines.filter((line) => isEndNote(line, marks));
    for (const { text } of notes) leftOut.count('notes', text);
    if (notes.length > 0) return [];
    const others = withoutLargeNotes(withoutFootnotes(lines, usual, marks, leftOut), leftOut);
    return withoutInnerNotes(others, usual, leftOut);
  });
}

const romanMarks = (lines: Lines): ReadonlySet<string> =>
  new Set(lines.flatMap(({ marks = [] }) => marks.filter((mark) => /^[ivx]+$/.test(mark))));

/** The page behind all raised numerals that begins with a note, from which on each numeral has one. */
function firstOfEndNotes(pages: Pages, marks: ReadonlySet<string>): number {
  const last = pages.findLastIndex((lines) => romanMarks(lines).size > 0);
  const first = pages.findIndex(([line], index) => index > last && line !== undefined && isEndNote(line, marks));
  if (marks.size === 0 || first === -1) return pages.length;
  const noted = new Set(pages.slice(first).flatMap((lines) => lines.map(({ text }) => romanAhead.exec(text)?.[1])));
  return [...marks].every((mark) => noted.has(mark)) ? first : pages.length;
}

/** Lines of a note in the middle of a page. */
const longestNote = 12;
const markAhead = /^(?:(\d{1,3}|[*†‡§¶]{1,3})\s?)(?=["“‘«]?\p{Lu})/u;

/** Small lines between others, of which the first begins with a mark that the page has. */
function withoutInnerNotes(lines: Lines, usual: number, leftOut: LeftOutCounter): Lines {
  const isSmall = (line: Line | undefined): boolean => line !== undefined && isSmaller(line, usual);
  const kept: Line[] = [];
  const marks = new Set<string>();
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as Line;
    const [, mark] = isSmall(line) && !isSmall(lines[index - 1]) ? (markAhead.exec(line.text) ?? []) : [];
    let end = index;
    while (mark !== undefined && isSmall(lines[end])) end += 1;
    if (mark === undefined || end - index > longestNote || !marks.has(mark)) {
      kept.push(line);
      for (const own of line.marks ?? []) marks.add(own);
      for (const [own] of line.text.matchAll(noteNumber)) marks.add(own);
    } else {
      leftOut.count('notes', line.text);
      index = end - 1;
    }
  }
  return kept;
}

/**
 * Without small lines at the foot of a page, of which the first begins with the mark of a note.
 *
 * @param marks Roman numerals that the book has raised
 */
function withoutFootnotes(lines: Lines, usual: number, marks: ReadonlySet<string>, leftOut: LeftOutCounter): Lines {
  const low = [...lines].sort((one, other) => one.y - other.y);
  const foot = new Set<Line>();
  for (const line of low) {
    if (!isSmaller(line, usual)) break;
    foot.add(line);
  }
  const small = lines.filter((line) => foot.has(line));
  const isMark = (line: Line): boolean => noteMark.test(line.text) || isEndNote(line, marks);
  const first = small.findIndex(isMark);
  if (first === -1) return lines;
  const notes = new Set(small.slice(first));
  for (const line of notes) if (isMark(line)) leftOut.count('notes', line.text);
  return lines.filter((line) => !notes.has(line));
}

/** More than usual between two lines: what footnotes have above them. */
const widerGap = 1.25;

/** Lines at the foot of a page, apart from the others, of which the first begins with a mark that the page has raised. */
function withoutLargeNotes(lines: Lines, leftOut: LeftOutCounter): Lines {
  const raised = new Set(lines.flatMap(({ marks = [] }) => marks));
  if (raised.size === 0) return lines;
  const isNote = ({ text }: Line): boolean => raised.has(markAhead.exec(text)?.[1] ?? '');
  const low = [...lines].sort((one, other) => one.y - other.y).slice(0, longestNote + 2);
  for (let at = 0; at < Math.min(longestNote, low.length - 2); at += 1) {
    const [line, above, next] = low.slice(at, at + 3) as [Line, Line, Line];
    if (line.margin !== low[0]?.margin) return lines;
    if (!isNote(line) || above.y - line.y <= (next.y - above.y) * widerGap) continue;
    const notes = new Set(low.slice(0, at + 1));
    for (const note of notes) if (isNote(note)) leftOut.count('notes', note.text);
    return lines.filter((own) => !notes.has(own));
  }
  return lines;
}

/** Number of a note, without a space after closing marks or a sentence of long words. */
const noteNumber = /(?<=[.,;:!?…]["”’»]|["”»][.,;:!?]|\p{L}{4}[.!?])\d{1,3}(?=\s\p{Lu}|\s["“‘«]|\s\p{Ll}|$)/gu;

export function withoutNoteNumbers(text: string, leftOut: LeftOutCounter): string {
  if (!leftOut.leaves('notes')) return text;
  return text.replace(noteNumber, (number: string, at: number) => {
    leftOut.count('notes', number, text.slice(Math.max(0, at - 24), at));
    return '';
  });
}
