/** `ke-3` and `1990-an` of Indonesian and Malay. */
import type { SemioticClass } from '../language.ts';
import { foundAt, take } from '../place.ts';
import type { Spelling } from '../spell-out.ts';

export const malayAffixes = ({ spellOut }: Spelling): SemioticClass => ({
  begins: ['letter', 'digit'],
  find(place, cursor) {
    if (!place.isBorder) return undefined;
    const say = (digits: string): string => spellOut('cardinal', Number(digits));
    const [, ordinal] = take(cursor, /[Kk]e-(\d{1,12})(?![\p{L}\d]|[.,]\d)/uy) ?? [];
    if (ordinal !== undefined)
      return foundAt(cursor, ordinal === '1' ? 'pertama' : `${place.text[place.start]}e${say(ordinal)}`);
    const [, digits] = take(cursor, /(\d{1,4})-an(?!\p{L})/uy) ?? [];
    return digits === undefined ? undefined : foundAt(cursor, `${say(digits)}an`);
  },
});
