/** Postal codes of five digits before the name of a town. */
import type { Found, Place, SemioticClass } from '../language.ts';
import { patternClass } from '../place.ts';

const fiveDigits = /\d{5}(?=[ \u00a0]\p{Lu}\p{L})/uy;

/**
 * @param behind what comes before a postal code
 * @param meaningOf digit by digit, if not another way; undefined for what is none
 */
export const postalCodes = (
  behind: RegExp,
  meaningOf: (code: string, place: Place) => Found['meaning'] | string | undefined = (code) => ({
    kind: 'digits',
    groups: [code],
  }),
): SemioticClass => patternClass({ begins: 'digit', behind }, fiveDigits, ([code], place) => meaningOf(code, place));
