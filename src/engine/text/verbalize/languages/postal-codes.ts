/** Postal codes of five digits before the name of a town. */
import type { Found, SemioticClass } from '../language.ts';
import { cursorAt, foundAt, isBehind, take } from '../place.ts';

const fiveDigits = /\d{5}(?=[ \u00a0]\p{Lu}\p{L})/uy;

/**
 * @param behind what comes before a postal code
 * @param meaningOf digit by digit, if not another way; undefined for what is none
 */
export const postalCodes = (
  behind: RegExp,
  meaningOf: (code: string, before: string) => Found['meaning'] | undefined = (code) => ({
    kind: 'digits',
    groups: [code],
  }),
): SemioticClass => ({
  name: 'postal code',
  begins: ['digit'],
  find(place) {
    if (!place.isBorder || !isBehind(place, behind)) return undefined;
    const cursor = cursorAt(place);
    const [code] = take(cursor, fiveDigits) ?? [];
    const meaning = code === undefined ? undefined : meaningOf(code, place.before);
    return meaning === undefined ? undefined : foundAt(cursor, meaning);
  },
});
