/** Text of files in any encoding, which their bytes look like: as other programs have written them for decades. */
import { analyse } from 'chardet';
import { SvcError } from '../errors.ts';
import { describeNoText } from './file-kinds.ts';
import { encodingOf, unmarkedUtf16 } from './unicode-text.ts';

export interface DecodedText {
  readonly text: string;
  /** Such as `windows-1251`, where nothing states it. */
  readonly guessed?: string | undefined;
}

/** Bytes by which the encoding is found. */
const sampled = 256 * 1024;
/** What no text has: control characters but for white space, the end of a file of DOS and colors of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finds them
const binary = /[\0-\u0008\u000e-\u0019\u001c-\u001f\p{Co}]/u;

/** @throws SvcError INVALID_REQUEST for binary data */
export function decodeAny(bytes: Uint8Array, path: string): DecodedText {
  const stated = encodingOf(bytes);
  try {
    const text = new TextDecoder(stated, { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return { text };
  } catch {
    // In another encoding.
  }
  const wide = unmarkedUtf16(bytes);
  const found = wide === undefined ? analyse(bytes.subarray(0, sampled)).map(({ name }) => name.toLowerCase()) : [wide];
  for (const guessed of found) {
    try {
      const text = new TextDecoder(guessed, { fatal: true }).decode(bytes);
      if (!binary.test(text)) return { text, guessed };
    } catch {
      // An encoding that fits no better, or an unknown one.
    }
  }
  throw new SvcError('INVALID_REQUEST', `${path} is not text in a known encoding; save it as UTF-8`);
}

/** The same of a text file. @throws SvcError INVALID_REQUEST also for other kinds of files, with the way to a text */
export function decodeTextFile(bytes: Uint8Array, path: string, markup: 'refused' | 'text'): DecodedText {
  const other = describeNoText(bytes, markup);
  if (other !== undefined && unmarkedUtf16(bytes) === undefined)
    throw new SvcError('INVALID_REQUEST', `${path} is ${other}`);
  return decodeAny(bytes, path);
}

/** One line for whoever may see wrong letters; none where the file states its encoding. */
export const aboutEncoding = ({ guessed }: DecodedText, path: string): readonly string[] =>
  guessed === undefined ? [] : [`${path} is read as ${guessed}; save it as UTF-8 if its letters are wrong`];
