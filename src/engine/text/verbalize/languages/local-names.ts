/** What one language alone writes: postal codes, weekdays, and suffixes at numbers. */

import { romanValue } from '../classes/romans.ts';
import type { SemioticClass } from '../language.ts';
import { cursorAt, foundAt, isBehind, isNext, take, wordsOf } from '../place.ts';
import { spellOut } from '../spell-out.ts';

const fiveDigits = /\d{5}(?=[ \u00a0]\p{Lu}\p{L})/uy;
/** What stands before a postal code. German nouns have capitals too, so that a street must stand there. */
const beforeCode: Readonly<Record<string, RegExp>> = {
  fr: /(?:^|[,;(–-]\s?|\n|(?:à|de|sur|vers|F-)\s?)$/u,
  es: /(?:^|[,;(–-]\s?|\n|(?:en|de|E-)\s?)$/u,
  it: /(?:^|[,;(–-]\s?|\n|(?:a|di|I-)\s?)$/u,
  de: /(?:^|\n|\d\s?[a-z]?,\s|(?:PLZ:?|D-|str\.|straße|platz|weg|allee)\s?)$/u,
};

/** The department as a number: "soixante-quinze zéro zéro deux". */
function sayFrenchCode(code: string): string {
  const say = (digits: string): string => spellOut('fr', 'cardinal-masculine', Number(digits));
  const spelled = (digits: string): string => {
    const zeros = /^0*(?=\d)/.exec(digits)?.[0].length ?? 0;
    return [...Array<string>(zeros).fill('zéro'), say(digits)].join(' ');
  };
  const [department, rest] = [spelled(code.slice(0, 2)), code.slice(2)];
  return `${department} ${rest === '000' ? 'mille' : spelled(rest)}`;
}

const postalCodes = (tag: string): SemioticClass => ({
  name: 'postal code',
  begins: ['digit'],
  find(place) {
    if (!place.isBorder || !isBehind(place, beforeCode[tag])) return undefined;
    const cursor = cursorAt(place);
    const [code] = take(cursor, fiveDigits) ?? [];
    if (code === undefined || (tag === 'de' && code.endsWith('000') && !/\d/.test(place.before))) return undefined;
    return foundAt(cursor, tag === 'fr' ? wordsOf(sayFrenchCode(code)) : { kind: 'digits', groups: [code] });
  },
});

/** `00-123 Warszawa` */
const polishCodes: SemioticClass = {
  name: 'postal code',
  begins: ['digit'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [, first, last] = take(cursor, /(\d\d)-(\d{3})(?= \p{Lu}\p{L})/uy) ?? [];
    return first === undefined || last === undefined
      ? undefined
      : foundAt(cursor, { kind: 'digits', groups: [first, last] });
  },
};

/** `1017 GC` */
const dutchCodes: SemioticClass = {
  name: 'postal code',
  begins: ['digit'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [, first, last, letters] = take(cursor, /([1-9]\d)(\d\d) ?([A-Z]{2})(?![\p{L}\d])/uy) ?? [];
    if (first === undefined || last === undefined || letters === undefined) return undefined;
    const rest = last.startsWith('0')
      ? `nul ${spellOut('nl', 'cardinal', Number(last))}`
      : spellOut('nl', 'cardinal', Number(last));
    // `2024 EU`
    const isCode = isNext(place.text, cursor.at, / \p{Lu}\p{Ll}/uy) || isBehind(place, /(?:^|,\s|\n)$/);
    if (!isCode) return undefined;
    return foundAt(cursor, wordsOf(`${spellOut('nl', 'cardinal', Number(first))} ${rest} ${[...letters].join(' ')}`));
  },
};

/** `Mo–Fr`, `lun.-ven.`, and `Mo.,` before a date. */
function weekdaysOf(tag: string): SemioticClass {
  const names = new Map<string, string>();
  const letter = (weekday: 'long' | 'short', day: number): string =>
    new Intl.DateTimeFormat(tag, { weekday, timeZone: 'UTC' }).format(Date.UTC(2024, 0, day)).replace(/\.$/, '');
  for (let day = 1; day <= 7; day += 1) names.set(letter('short', day).toLowerCase(), letter('long', day));
  const nameOf = (written: string | undefined): string | undefined => names.get((written ?? '').toLowerCase());
  return {
    name: 'weekday',
    begins: ['letter'],
    find(place) {
      if (!place.isBorder) return undefined;
      const cursor = cursorAt(place);
      const [, one] = take(cursor, /(\p{L}{2,4})\.?/uy) ?? [];
      const first = nameOf(one);
      if (first === undefined) return undefined;
      const end = cursor.at;
      const [, other] = take(cursor, / ?[-–—] ?(\p{L}{2,4})(?!\p{L})\.?(?= ?[\d:,]|\))/uy) ?? [];
      const last = nameOf(other);
      if (last !== undefined) {
        const to = place.language.say.operator({ kind: 'operator', sign: 'to' }, place, end)?.trim() ?? '';
        return foundAt(cursor, wordsOf(`${first} ${to} ${last}`));
      }
      cursor.at = end;
      return place.text[end - 1] === '.' && isNext(place.text, end, /,| \d/y)
        ? foundAt(cursor, wordsOf(first))
        : undefined;
    },
  };
}

/** `ke-3` and `1990-an` of Indonesian and Malay. */
const indonesianAffixes = (tag: string): SemioticClass => ({
  name: 'affix',
  begins: ['letter', 'digit'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const say = (digits: string): string => spellOut(tag, 'cardinal', Number(digits));
    const [, ordinal] = take(cursor, /[Kk]e-(\d{1,12})(?![\p{L}\d]|[.,]\d)/uy) ?? [];
    if (ordinal !== undefined)
      return foundAt(cursor, wordsOf(ordinal === '1' ? 'pertama' : `${place.text[place.start]}e${say(ordinal)}`));
    const [, digits] = take(cursor, /(\d{1,4})-an(?!\p{L})/uy) ?? [];
    return digits === undefined ? undefined : foundAt(cursor, wordsOf(`${say(digits)}an`));
  },
});

/** The apostrophe of `14:35'te`, whose suffix is spoken with the number. */
const turkishSuffixes: SemioticClass = {
  name: 'Turkish suffix',
  begins: ['sign'],
  find(place) {
    const cursor = cursorAt(place);
    if (!/[\d%]$/.test(place.before) && !/\d ?°C$/.test(place.before)) return undefined;
    return take(cursor, /['’](?=\p{Ll}{1,6}(?!\p{L}))/uy) === undefined ? undefined : foundAt(cursor, wordsOf(''));
  },
};

/** Roman numerals that Turkish marks as ordinals: `II. Abdülhamid`. */
const turkishRomans: SemioticClass = {
  name: 'Turkish roman',
  begins: ['letter'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [, letters = ''] = take(cursor, /([IVX]{1,6})\.(?= \p{L}{3})/uy) ?? [];
    const value = romanValue(letters);
    return value === undefined ? undefined : foundAt(cursor, wordsOf(spellOut('tr', 'ordinal', value)));
  },
};

/** Numbers of Japanese addresses: `千代田区1-1-1`. */
const japaneseAddresses: SemioticClass = {
  name: 'Japanese address',
  begins: ['digit'],
  find(place) {
    if (!/[区町村市丁条]$/u.test(place.before)) return undefined;
    const cursor = cursorAt(place);
    const [numbers] = take(cursor, /\d{1,4}(?:-\d{1,4}){1,3}(?!\d)/y) ?? [];
    if (numbers === undefined) return undefined;
    const said = numbers.split('-').map((number) => spellOut('ja', 'cardinal', Number(number)));
    return foundAt(cursor, wordsOf(said.join('の')));
  },
};

/** The classes that a language has beyond those of all. */
export function localNames(tag: string): readonly SemioticClass[] {
  const named = /^(?:da|de|es|fr|it|nb|nl|pl|pt|sv)$/.test(tag) ? [weekdaysOf(tag)] : [];
  if (beforeCode[tag] !== undefined) return [...named, postalCodes(tag)];
  if (tag === 'nl') return [...named, dutchCodes];
  if (tag === 'pl') return [...named, polishCodes];
  if (tag === 'id' || tag === 'ms') return [indonesianAffixes(tag)];
  if (tag === 'tr') return [turkishSuffixes, turkishRomans];
  return tag === 'ja' ? [japaneseAddresses] : named;
}
