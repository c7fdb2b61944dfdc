/** `Mo–Fr`, `lun.-ven.`, and `Mo.,` before a date. */
import type { SemioticClass } from '../language.ts';
import { cursorAt, foundAt, isNext, take, wordsOf } from '../place.ts';
import type { Calendar } from './settings.ts';

const short = /(\p{L}{2,4})\.?/uy;
const lastShort = / ?([-–—/]) ?(\p{L}{2,4})(?!\p{L})\.?(?= ?[\d:,]|\))/uy;

export function weekdayNames({ weekdays }: Calendar): SemioticClass {
  const names = new Map(
    weekdays.split('|').map((entry) => {
      const [written = '', said = ''] = entry.split('=');
      return [written.toLowerCase(), said] as const;
    }),
  );
  const nameOf = (written: string | undefined): string | undefined => names.get((written ?? '').toLowerCase());
  return {
    name: 'weekday',
    begins: ['letter'],
    find(place) {
      if (!place.isBorder) return undefined;
      const cursor = cursorAt(place);
      const [, one] = take(cursor, short) ?? [];
      const first = nameOf(one);
      if (first === undefined) return undefined;
      const end = cursor.at;
      const [, mark, other] = take(cursor, lastShort) ?? [];
      const last = nameOf(other);
      if (last !== undefined) {
        const sign = mark === '/' ? 'or' : 'to';
        const to = place.language.say.operator({ kind: 'operator', sign }, place, end)?.trim() ?? '';
        return foundAt(cursor, wordsOf(`${first} ${to} ${last}`));
      }
      cursor.at = end;
      return place.text[end - 1] === '.' && isNext(place.text, end, /,| \d/y)
        ? foundAt(cursor, wordsOf(first))
        : undefined;
    },
  };
}
