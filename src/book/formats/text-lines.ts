/** Lines of a plain text: their words, indentation and width, and whether its paragraphs are wrapped. */
import { isChapterLine, isNumberedLine } from './text-headings.ts';

export interface TextLine {
  readonly text: string;
  /** Cells of space before it. */
  readonly indent: number;
  /** Cells of its words; Chinese characters have two. */
  readonly width: number;
}

export type TextLines = readonly TextLine[];

const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/g;
export const cells = (text: string): number => text.length + (text.match(wide)?.length ?? 0);

/** Signs around a heading, as in `=== Chapter 1 ===` and `[Chapter 1]`. */
const decorated =
  /^(?:[=~*#+_<>–—-]{1,9}\s{0,9}([^\s=~*#+_<>–—-].{0,99}?)\s{0,9}[=~*#+_<>–—-]{1,9}|\[\s?([^[\]]{1,100}?)\s?\])$/u;

/** Quotation marks around a heading, as in `"Chapter 1"` and `【第一章】`; what ends as a sentence, or is one word, is said. */
const quoted =
  /^(?:["“”„«»‘'「『【《〈]\s?)([^"“”„«»「」『』【】《》〈〉]{1,100}?[^.!?…。！？\s])(?:\s?["”“«»’'」』】》〉])$/u;

function withoutDecoration(line: string): string {
  const [, between, inBrackets] = decorated.exec(line) ?? [];
  const [, said] = quoted.exec(line) ?? [];
  const inner = between ?? inBrackets ?? (said !== undefined && isNumberedLine(said) ? said : undefined);
  return inner !== undefined && !/^[IVXLC]{1,7}\.?$/.test(inner) && isChapterLine(inner) ? inner : line;
}

export function lineOf(line: string): TextLine {
  const text = withoutDecoration(line.trim());
  const space = line.slice(0, line.length - line.trimStart().length);
  let indent = 0;
  for (const character of space) indent += character === '\t' ? 4 : character === '\u3000' ? 2 : 1;
  return { text, indent, width: cells(text) };
}

export const sentenceEnd = /[.!?…。！？；：:]["'”’»)\]」』]*$|["”»」』]$|^$/u;
/** Lines with more are whole paragraphs. */
export const widest = 100;

export interface Layout {
  /** Width of its long lines. */
  readonly width: number;
  readonly isWrapped: boolean;
  /** Whether each line is a paragraph, with no empty lines between them, as word processors save text. */
  readonly isDense: boolean;
}

export function layoutOf(lines: TextLines): Layout {
  const filled = lines.filter(({ text }) => text !== '');
  const widths = filled.map(({ width }) => width).sort((one, other) => one - other);
  const width = widths[Math.floor(widths.length * 0.9)] ?? 0;
  const isApart = lines.length - filled.length > 2;
  const long = widths.filter((own) => own > widest).length;
  if (long >= Math.max(1, filled.length / 10)) return { width, isWrapped: false, isDense: !isApart };
  let [pairs, continued] = [0, 0];
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    if (line.text === '' || next === undefined || next.text === '') continue;
    pairs += 1;
    const isFull = line.width >= width - 3;
    if (!sentenceEnd.test(line.text) && (/^\p{Ll}/u.test(next.text) || (isFull && /^\p{Lo}/u.test(next.text))))
      continued += 1;
  }
  const isWrapped = isApart || (pairs > 0 && continued >= pairs * 0.2);
  return { width, isWrapped, isDense: !isWrapped };
}

/** Empty lines from a place on, in a direction: at most nine, as many as the ends of the text are good for. */
export function emptyFrom(lines: TextLines, index: number, step: 1 | -1): number {
  let count = 0;
  let at = index;
  for (; count < 9 && lines[at]?.text === ''; at += step) count += 1;
  return lines[at] === undefined ? 9 : count;
}

/** Lines from a place to the next empty one, at most as many as requested. */
export function blockFrom(lines: TextLines, from: number, most: number): TextLines {
  let to = from;
  while (to - from < most && (lines[to]?.text ?? '') !== '') to += 1;
  return lines.slice(from, to);
}
