/** How wide a text is on a screen. */
import { eastAsianWidth } from 'get-east-asian-width';
import { segmentsOf } from '../engine/text/segments.ts';

const ascii = /^[\x20-\x7e]*$/;
/** Characters of which several may make one; the segmenter that knows them takes long. */
const mayJoin = /\u200d|[\p{Extended_Pictographic}\p{Regional_Indicator}\u1100-\u11ff]/u;

/** Width of one visible character, in cells. */
export const graphemeWidth = (grapheme: string): number => eastAsianWidth(grapheme.codePointAt(0) as number);

/** In cells: a Chinese, Japanese or Korean character takes two, and a mark above or below its letter none. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  const visible = mayJoin.test(text) ? segmentsOf(text, 'grapheme') : text.replace(/[\p{M}\p{Cf}]/gu, '');
  for (const grapheme of visible) width += graphemeWidth(grapheme);
  return width;
}
