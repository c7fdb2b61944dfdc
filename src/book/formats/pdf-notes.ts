/** Notes of a PDF: at the foot of a page, in its middle, and at the end of the book. */
import type { LeftOutCounter } from '../left-out.ts';
import type { Line, Page } from './pdf-lines.ts';

const noteMark = /^(?:\[?\d{1,3}[\]).]?|[*†‡§¶]{1,3}|[⁰¹²³⁴-⁹]{1,3})\s?\S/u;
/** The mark of an end note that begins with it. */
const romanAhead = /^([ivx]{1,6})\s?(?=["“‘«]?\p{Lu})/u;

interface Found {
  /** Height of most characters. */
  readonly usual: number;
  /** Roman numerals that the book has raised. */
  readonly marks: ReadonlySet<string>;
  readonly leftOut: LeftOutCounter;
}

export const romanMarks = (pages: readonly Page[]): ReadonlySet<string> =>
  new Set(
    pages.flatMap(({ lines }) => lines.flatMap(({ marks = [] }) => marks.filter((mark) => /^[ivx]+$/.test(mark)))),
  );

/** The lines of a page without those of notes. */
export function withoutNotes(lines: readonly Line[], found: Found): readonly Line[] {
  const { usual, marks, leftOut } = found;
  if (!leftOut.leaves('notes')) return lines;
  const isEndNote = ({ text }: Line): boolean => marks.has(romanAhead.exec(text)?.[1] ?? '');
  if (lines[0] !== undefined && isEndNote(lines[0])) {
    for (const line of lines) if (isEndNote(line)) leftOut.count('notes', line.text);
    return [];
  }
  return withoutInnerNotes(withoutLargeNotes(withoutFootnotes(lines, found), leftOut), usual, leftOut);
}

/** Lines of a note in the middle of a page. */
const longestNote = 12;
const markAhead = /^(?:(\d{1,3}|[*†‡§¶]{1,3})\s?)(?=["“‘«]?\p{Lu})/u;

/** Small lines between others, of which the first begins with a mark that the page has. */
function withoutInnerNotes(lines: readonly Line[], usual: number, leftOut: LeftOutCounter): readonly Line[] {
  const isSmall = (line: Line | undefined): boolean => line !== undefined && line.height < usual * 0.92;
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

/** Small lines at the foot of a page, of which the first begins with the mark of a note. */
function withoutFootnotes(lines: readonly Line[], { usual, marks, leftOut }: Found): readonly Line[] {
  const isMark = (text: string): boolean => noteMark.test(text) || marks.has(romanAhead.exec(text)?.[1] ?? '');
  const isSmall = ({ height }: Line): boolean => height < usual * 0.92;
  const low = [...lines].sort((one, other) => one.y - other.y);
  const foot = new Set<Line>();
  for (const line of low) {
    if (!isSmall(line)) break;
    foot.add(line);
  }
  const small = lines.filter((line) => foot.has(line));
  const first = small.findIndex(({ text }) => isMark(text));
  if (first === -1) return lines;
  const notes = new Set(small.slice(first));
  for (const { text } of notes) if (isMark(text)) leftOut.count('notes', text);
  return lines.filter((line) => !notes.has(line));
}

/** More than usual between two lines: what footnotes have above them. */
const widerGap = 1.25;

/** Lines at the foot of a page, apart from the others, of which the first begins with a mark that the page has raised. */
function withoutLargeNotes(lines: readonly Line[], leftOut: LeftOutCounter): readonly Line[] {
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
