/** Roman numerals of chapters, wars, kings and years. */
import type { Place, SemioticClass } from '../language.ts';
import { isBehind, isNext, take, tokenClass } from '../place.ts';

const values: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 };
const numeral = /[IVXLCDM]{1,15}(?![\p{L}\d]|['’](?!s(?!\p{L}))|[-–]\p{L})/uy;
const smallNumeral = /[ivxl]{2,7}(?![\p{L}\d'’])/uy;
const wellFormed = /^M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/;

export function romanValue(letters: string): number | undefined {
  if (letters === '' || !wellFormed.test(letters)) return undefined;
  let total = 0;
  for (const [index, letter] of [...letters].entries()) {
    const value = values[letter] ?? 0;
    total += value < (values[letters[index + 1] ?? ''] ?? 0) ? -value : value;
  }
  return total;
}

/** `(ii)` and `II.` before an item of a list. */
const itemNumeral = /(?<=\()(?:[ivx]{2,5}|i|v)(?=\))|(?<=^|\n|^\s)[IVX]{1,5}(?=\.\s+\p{Lu})/uy;

export interface RomanCues {
  /** Words before a numeral that counts: chapters, wars. */
  readonly counted: RegExp;
  /** Before a numeral of one letter, `I` above all, which is also a word. */
  readonly countedLetter: RegExp;
  /** Names of rulers, and titles before any name. */
  readonly ruler: RegExp;
  readonly rulerLetter: RegExp;
  readonly century: RegExp;
}

/** Words and names of letters that are also numerals. */
const otherWords = new Set(
  'CD MIX DI DC MD MC MM CC CV LL MI ID IM DIM DM XL LI CM CI XX XXX L C D M XXL CL ML DL CX LV IV DIX LX CIV'.split(
    ' ',
  ),
);
const name = /(?<![\p{L}\p{M}])\p{Lu}\p{Ll}{2,24}\s$/u;

const initialEnd = /\.[ \u00a0]?\p{Lu}/uy;

const meaningOf = (
  place: Place,
  letters: string,
  end: number,
  cues: RomanCues,
): 'cardinal' | 'ordinal' | 'year' | undefined => {
  const { before, text } = place;
  const value = romanValue(letters) ?? 0;
  if (isNext(text, end, cues.century)) return 'ordinal';
  if (letters.length === 1) {
    if (isBehind(place, cues.countedLetter)) return 'cardinal';
    // An initial, as in `Juan V. Pérez`.
    if (!'IVX'.includes(letters) || isNext(text, end, initialEnd)) return undefined;
    if (letters !== 'I' && isBehind(place, cues.ruler)) return 'ordinal';
    return isBehind(place, cues.rulerLetter) ? 'ordinal' : undefined;
  }
  if (isBehind(place, cues.counted) || isBehind(place, cues.countedLetter)) return 'cardinal';
  if (isBehind(place, cues.ruler)) return 'ordinal';
  if (letters.length >= 4 && value >= 1000 && value <= 2100) return 'year';
  if (otherWords.has(letters)) return undefined;
  // `Rocky II`; in a line of capitals it is more often a word.
  if (name.test(before) && value < 100) return 'cardinal';
  return letters.length >= 4 && value < 100 ? 'cardinal' : undefined;
};

export const romansWith = (cues: RomanCues): SemioticClass =>
  tokenClass({ begins: 'letter', beginsWith: (word) => /^(?:[IVXLCDM]+|[ivxlcdm]+)$/.test(word) }, (cursor, place) => {
    const [item = ''] = take(cursor, itemNumeral) ?? [];
    const itemValue = romanValue(item.toUpperCase());
    if (itemValue !== undefined && (item.length > 1 || /(?:^|\s)\($/.test(place.before)))
      return { kind: 'roman', value: itemValue, form: 'cardinal' };
    cursor.at = place.start;
    const smallValue = romanValue(take(cursor, smallNumeral)?.[0].toUpperCase() ?? '');
    if (smallValue !== undefined && isBehind(place, cues.counted))
      return { kind: 'roman', value: smallValue, form: 'cardinal' };
    cursor.at = place.start;
    const [letters = ''] = take(cursor, numeral) ?? [];
    const value = romanValue(letters);
    const form = value === undefined ? undefined : meaningOf(place, letters, cursor.at, cues);
    return value === undefined || form === undefined ? undefined : { kind: 'roman', value, form };
  });
