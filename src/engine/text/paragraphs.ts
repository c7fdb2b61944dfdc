/** Splits a text into paragraphs. */
import { sentenceMarks } from './sentences.ts';

const lineBreak = /\r\n|[\n\r\f\v\u0085\u2028\u2029]/g;
const listMarker = /^\s*(?:[-*•·–—#>]+\s|\(?\d{1,3}[.)、]\s?|[一二三四五六七八九十]{1,3}、)/u;
const finished = new RegExp(String.raw`[${sentenceMarks}]["'”’»)\]}」』）】》]*\s*$`, 'u');
const endsWide = /[。！？…][”’"'」』）】》]*\s*$/u;
/** Longest wrapped line; a longer line is a whole paragraph. */
const widestWrap = 100;

/**
 * Yields the non-blank paragraphs of a text with their white space. A blank line ends a paragraph. So does a single
 * line break if lines are not wrapped (the line ends a sentence and is long, or is Chinese), before a list item and
 * before a heading. Other line breaks are white space, as in the official code.
 */
export function* paragraphsOf(text: string): Generator<string> {
  let start = 0;
  let lineStart = 0;
  for (const { index, 0: sign } of text.matchAll(lineBreak)) {
    const next = index + sign.length;
    const line = text.slice(lineStart, index);
    lineStart = next;
    if (!endsParagraph(line, sign, text, next)) continue;
    const paragraph = text.slice(start, index);
    start = next;
    if (paragraph.trim() !== '') yield paragraph;
  }
  const rest = text.slice(start);
  if (rest.trim() !== '') yield rest;
}

function endsParagraph(line: string, sign: string, text: string, next: number): boolean {
  if (sign === '\f' || sign === '\u2029' || line.trim() === '') return true;
  const following = text.slice(next, next + 12);
  if (/^[^\S\r\n\u2028\u2029]*(?:[\r\n\u0085\u2028\u2029]|$)/u.test(following)) return true;
  if (listMarker.test(following) || /^\s*#{1,6}\s/.test(line)) return true;
  return finished.test(line.slice(-20)) && (line.length > widestWrap || endsWide.test(line.slice(-20)));
}
