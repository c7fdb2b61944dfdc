/** `ke-3` and `1990-an` of Indonesian and Malay. */
import { take, tokenClass } from '../place.ts';

export const malayAffixes = tokenClass({ begins: ['letter', 'digit'] }, (cursor, place) => {
  const say = (digits: string): string => place.language.spelling.spellOut('cardinal', Number(digits));
  const [, ordinal] = take(cursor, /[Kk]e-(\d{1,12})(?![\p{L}\d]|[.,]\d)/uy) ?? [];
  if (ordinal !== undefined) return ordinal === '1' ? 'pertama' : `${place.text[place.start]}e${say(ordinal)}`;
  const [, digits] = take(cursor, /(\d{1,4})-an(?!\p{L})/uy) ?? [];
  return digits === undefined ? undefined : `${say(digits)}an`;
});
