/** Text of files: UTF-8, or UTF-16 with a byte order mark, as Windows and spreadsheets write it. */

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Length of the longest byte order mark. */
export const markBytes = 3;

/** The encoding that the first two bytes state; UTF-8 without a mark of UTF-16. */
export function encodingOf(start: Uint8Array): TextEncoding {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : 'utf-8';
}

/** Bytes that are looked at; fewer pairs may be anything. */
const [looked, leastPairs] = [4_096, 8];

/**
 * UTF-16 without a byte order mark, by the bytes that are zero: of almost all Latin letters, and of the spaces, digits and ends
 * of lines between others; undefined for anything else.
 */
export function unmarkedUtf16(start: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const bytes = start.subarray(0, looked);
  const zeros = [0, 0];
  for (const [index, byte] of bytes.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const half = bytes.length / 2;
  const [most, fewest] = [Math.max(even, odd), Math.min(even, odd)];
  const isLatin = most > half * 0.7 && fewest < half * 0.1;
  const isOther = fewest === 0 && most >= half * 0.1 && isText(bytes, odd > even ? 'utf-16le' : 'utf-16be');
  return half >= leastPairs && (isLatin || isOther) ? (odd > even ? 'utf-16le' : 'utf-16be') : undefined;
}

/** Letters with ends of lines, and no control characters. */
function isText(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): boolean {
  const text = new TextDecoder(encoding).decode(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return /\n/.test(text) && letters > text.length * 0.2 && !/[\p{Cn}\p{Co}]|(?![\t\n\r])\p{Cc}/u.test(text);
}

/** Text without its byte order mark. @throws TypeError if it is not valid in its encoding */
export const decodeText = (bytes: Uint8Array): string =>
  new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);

/** As `decodeText`; what is not valid becomes U+FFFD. */
export const decodeLeniently = (bytes: Uint8Array): string => new TextDecoder(encodingOf(bytes)).decode(bytes);
