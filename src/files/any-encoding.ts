/** Text of files in any encoding, which their bytes look like: as other programs have written them for decades. */
import { analyse } from 'chardet';
import { SvcError } from '../errors.ts';
import { decodeBytes } from './decode-bytes.ts';
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
    const text = decodeBytes(bytes, stated, 'refused');
    if (!text.includes('\0')) return { text };
  } catch {
    // In another encoding.
  }
  const wide = unmarkedUtf16(bytes);
  const found = wide === undefined ? likelyEncodings(bytes.subarray(0, sampled)) : [wide];
  for (const guessed of found) {
    try {
      const text = decodeBytes(bytes, guessed, 'refused');
      if (!binary.test(text)) return { text, guessed };
    } catch {
      // An encoding that fits no better, or an unknown one.
    }
  }
  throw new SvcError('INVALID_REQUEST', `${path} is not text in a known encoding; save it as UTF-8`);
}

/** Letters beyond ASCII of languages in Latin letters, and the page that has them; the first are tried first. */
const alphabets: readonly (readonly [languages: string, page: string, letters: RegExp])[] = [
  ['en de fr es pt it sv da no nl', 'windows-1252', /^[àâäçéèêëîïíìñóòôöõùúûüÿœæåøßáãºª]*$/iu],
  ['is', 'windows-1252', /^[áðéíóúýþæö]*$/iu],
  ['tr', 'windows-1254', /^[çğıöşüâîûİ]*$/iu],
  ['pl', 'windows-1250', /^[ąćęłńóśźż]*$/iu],
  ['cs sk', 'windows-1250', /^[áäčďéěíĺľňóôŕřšťúůýž]*$/iu],
  ['hu', 'windows-1250', /^[áéíóöőúüű]*$/iu],
  ['ro', 'windows-1250', /^[ăâîşţ]*$/iu],
  ['hr sl', 'windows-1250', /^[čćđšž]*$/iu],
  ['lt', 'windows-1257', /^[ąčęėįšųūž]*$/iu],
  ['lv', 'windows-1257', /^[āčēģīķļņšūž]*$/iu],
];
const latinPage = /^(?:windows-125[0247]|iso-8859-[129])$/;

/** Encodings by how frequent letters are in the languages that they are for, the most likely first. */
function likelyEncodings(sample: Uint8Array): readonly string[] {
  const found = analyse(sample).map(({ name, lang }) => ({ name: name.toLowerCase(), lang }));
  const names = found.map(({ name }) => name);
  const [best] = found;
  if (best === undefined || !latinPage.test(best.name)) return names;
  const fits = (page: string, letters: RegExp): boolean =>
    letters.test((decodeBytes(sample, page).match(/(?![A-Za-z])\p{L}/gu) ?? []).join(''));
  // Few letters are no statistics, but letters of none of its languages speak against a page.
  const own = alphabets.find(([languages]) => best.lang !== undefined && languages.split(' ').includes(best.lang));
  if (own !== undefined && fits(best.name, own[2])) return names;
  const other = alphabets.find(([, page, letters]) => fits(page, letters));
  return other === undefined ? names : [other[1], ...names];
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
