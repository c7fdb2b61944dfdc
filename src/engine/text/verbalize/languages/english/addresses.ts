/** Addresses, handles and hashtags of English in words. */

import { signsOf } from '../../../table.ts';
import { cardinal, sayEnglishYear, spellEnglish } from './numbers.ts';

const addressSigns = signsOf(`
  . dot|/ slash|@ at|- dash|_ underscore|: colon|? question mark|= equals|& and|# hash|% percent|+ plus|~ tilde
`);
const sayDigitsInAddress = (digits: string): string =>
  /^(?:19|20)\d\d$/.test(digits)
    ? sayEnglishYear(digits)
    : digits.length > 3 || /^0\d/.test(digits)
      ? spellEnglish(digits)
      : cardinal(digits);

/** `example.com/a` to "example dot com slash a". */
export function sayAddress(text: string): string {
  const written = text.replace(/^(?:https?|ftp|file):\/\//iu, '').replace(/\/$/, '');
  if (/^[@#]/.test(written)) {
    const words = written
      .slice(1)
      .replace(/(\p{Ll})(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1$2 ')
      .replaceAll('_', ' ')
      .replace(/\d{1,40}/g, (digits) => ` ${sayDigitsInAddress(digits)} `);
    return `${written.startsWith('@') ? 'at' : 'hashtag'} ${words.replace(/ {2,}/g, ' ').trim()}`;
  }
  return (
    written
      .replace(/[./@\-_:?=&#%+~]/g, (sign) => ` ${addressSigns[sign]} `)
      // Digits at a name are rarely an amount.
      .replace(
        /(?<=\p{L})\d{2,40}|\d{2,40}(?=\p{L})/gu,
        (digits) => ` ${/^(?:19|20)\d\d$/.test(digits) ? sayEnglishYear(digits) : spellEnglish(digits)} `,
      )
      .replace(/\d{1,40}/g, (digits) => ` ${sayDigitsInAddress(digits)} `)
      .replace(/ {2,}/g, ' ')
      .trim()
  );
}
