/** Splits a text into paragraphs. */
import { sentenceMarks } from './sentences.ts';
import type { Span } from './span.ts';

const lineBreak = /\r\n|[\n\r\f\v\u0085\u2028\u2029]/g;
const listMarker = /^\s*(?:[-*•·–—#>]+\s|\(?\d{1,3}[.)、]\s?|[一二三四五六七八九十]{1,3}、)/u;
const finished = new RegExp(String.raw`[${sentenceMarks}]["'”’»)\]}」』）】》]*\s*$`, 'u');
const endsWide = /[。！？…][”’"'」』）】》]*\s*$/u;
/** Longest wrapped line; a longer line is a whole paragraph. */
const widestWrap = 100;

/** The line break between two paragraphs. */
export interface ParagraphBreak extends Span {
  /** Whether it would be one whatever else were written after the text. */
  readonly isCertain: boolean;
}

/**
 * Yields the non-blank paragraphs of a text with their white space. A blank line ends a paragraph. So does a single
 * line break if lines are not wrapped (the line ends a sentence and is long, or is Chinese), before a list item and
 * before a heading. Other line breaks are white space, as in the official code.
 */
export function* paragraphsOf(text: string, breaks: Iterable<Span> = paragraphBreaks(text)): Generator<string> {
  let from = 0;
  for (const { start, end } of breaks) {
    const paragraph = text.slice(from, start);
    from = end;
    if (paragraph.trim() !== '') yield paragraph;
  }
  const rest = text.slice(from);
  if (rest.trim() !== '') yield rest;
}

/** Yields the line breaks at which `paragraphsOf` cuts. */
export function* paragraphBreaks(text: string): Generator<ParagraphBreak> {
  let lineStart = 0;
  for (const { index, 0: sign } of text.matchAll(lineBreak)) {
    const next = index + sign.length;
    const line = text.slice(lineStart, index);
    lineStart = next;
    const following = text.slice(next, next + reach);
    if (!endsParagraph(line, sign, following)) continue;
    const isCertain = following.length === reach || blankLine.test(following);
    yield { start: index, end: next, isCertain };
  }
}

/** How much of the next line shows what it is. */
const reach = 12;
const blankLine = /^[^\S\r\n\u2028\u2029]*[\r\n\u0085\u2028\u2029]/u;

function endsParagraph(line: string, sign: string, following: string): boolean {
  if (sign === '\f' || sign === '\u2029' || line.trim() === '') return true;
  if (following.trim() === '' || blankLine.test(following)) return true;
  if (listMarker.test(following) || /^\s*#{1,6}\s/.test(line)) return true;
  return finished.test(line.slice(-20)) && (line.length > widestWrap || endsWide.test(line.slice(-20)));
}
