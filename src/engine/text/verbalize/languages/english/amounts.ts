/** Numbers that English says in ways of its own: plurals, counts with a letter, verses, powers of ten, rates. */
import type { SemioticClass } from '../../language.ts';
import { cursorAt, foundAt, isBehind, isNext, take, wordsOf } from '../../place.ts';

const pluralNumber = /(?:(\d{1,2})x)?(\d{1,4})s(?![\p{L}\d])/uy;

/** `747s`, `F-16s`, `2x4s`: names, not seconds. `100s of` are hundreds. */
export const pluralNumbers: SemioticClass = {
  name: 'plural number',
  begins: ['digit'],
  digitsBefore: ['letter'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [, by, digits = ''] = take(cursor, pluralNumber) ?? [];
    const round =
      /^1(?:0{1,3})$/.test(digits) && (isNext(place.text, cursor.at, /\sof\s/y) || isBehind(place, /s of\s$/))
        ? { 10: 'tens', 100: 'hundreds', 1000: 'thousands' }[digits]
        : undefined;
    if (round !== undefined) return foundAt(cursor, wordsOf(round));
    // `1s and 0s`
    const isBit =
      /^[01]$/.test(digits) && (isNext(place.text, cursor.at, /\sand\s[01]s/y) || isBehind(place, /[01]s\sand\s$/));
    const isName = isBit || by !== undefined || digits.length >= 3 || /\p{L}-$/u.test(place.before);
    if (digits === '' || !isName || /^(?:1\d|20)\d0$/.test(digits)) return undefined;
    const said = place.language.sayNumeral({ whole: digits });
    const plural = said.endsWith('y') ? `${said.slice(0, -1)}ies` : said.endsWith('x') ? `${said}es` : `${said}s`;
    return foundAt(
      cursor,
      wordsOf(by === undefined ? plural : `${place.language.sayNumeral({ whole: by })} by ${plural}`),
    );
  },
};

const abbreviatedCount =
  /([~≈]?)(\d{1,4}(?:\.\d{1,3})?)([kKMB])(?=\+?\s(?:\p{Ll}{2,20}(?<!s)s|people)(?!\p{L})|(?<=\.\d{1,3}[MB])(?![\p{L}\d+-]))/uy;
const countNames: Readonly<Record<string, string>> = { k: 'thousand', K: 'thousand', M: 'million', B: 'billion' };

/** `1.5k followers`, but not `a 10K race`. */
export const abbreviatedCounts: SemioticClass = {
  name: 'abbreviated count',
  begins: ['digit', 'sign'],
  signs: '~≈',
  digitsBefore: ['letter', 'number'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [, about = '', digits = '', letter = ''] = take(cursor, abbreviatedCount) ?? [];
    if (digits === '') return undefined;
    const [whole = '', fraction] = digits.split('.');
    return foundAt(
      cursor,
      wordsOf(`${about === '' ? '' : 'about '}${place.language.sayNumeral({ whole, fraction })} ${countNames[letter]}`),
    );
  },
};

const books =
  /(?<!\p{L})(?:Genesis|Exodus|Leviticus|Numbers|Deuteronomy|Joshua|Judges|Ruth|Samuel|Kings|Chronicles|Ezra|Nehemiah|Esther|Job|Psalms?|Proverbs|Ecclesiastes|Isaiah|Jeremiah|Lamentations|Ezekiel|Daniel|Hosea|Joel|Amos|Jonah|Micah|Matthew|Mark|Luke|John|Acts|Romans|Corinthians|Galatians|Ephesians|Philippians|Colossians|Thessalonians|Timothy|Titus|Hebrews|James|Peter|Jude|Revelation|Surah|Quran)\s$/u;
const verse = /(\d{1,3}):(\d{1,3})(?:[-–](\d{1,3}))?(?![\d:])/y;

/** `Psalm 23:1-6` */
export const verses: SemioticClass = {
  name: 'verse',
  begins: ['digit'],
  digitsBefore: ['colon'],
  find(place) {
    if (!isBehind(place, books)) return undefined;
    const cursor = cursorAt(place);
    const [written = '', ...groups] = take(cursor, verse) ?? [];
    if (written === '') return undefined;
    const { sayNumeral } = place.language;
    const [chapter, first, last] = groups.map((digits) => (digits === undefined ? '' : sayNumeral({ whole: digits })));
    return foundAt(cursor, wordsOf(`${chapter} ${first}${last === '' ? '' : ` to ${last}`}`));
  },
};

const scientific = /(\d{1,20}(?:\.\d{1,20})?)[eE]([-+−]?)(\d{1,3})(?![\p{L}\d])/uy;

/** `1.6e-19` */
export const scientificNumbers: SemioticClass = {
  name: 'scientific number',
  begins: ['digit'],
  digitsBefore: ['letter', 'number'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [, digits = '', sign, exponent = ''] = take(cursor, scientific) ?? [];
    if (digits === '') return undefined;
    const [whole = '', fraction] = digits.split('.');
    const { sayNumeral } = place.language;
    const power = `${sign === '-' || sign === '−' ? 'minus ' : ''}${sayNumeral({ whole: String(Number(exponent)) })}`;
    return foundAt(cursor, wordsOf(`${sayNumeral({ whole, fraction })} times ten to the power of ${power}`));
  },
};

const byTime =
  'second|sec|minute|min|hour|hr|day|d|night|week|wk|month|mo|quarter|year|yr|dose|person|mile|mi|km|kg|lb|unit|user|seat|box|bag|bottle|serving|capita|game|page|share';
const rate = new RegExp(
  String.raw`\/ ?(?:(${byTime})(?![\p{L}\d/-])|(?=\d{1,4}(?:\.\d{1,3})? ?(?:h|hrs?|hours?|d|days?|wks?|weeks?|min|m²|m2|mL|km)(?![\p{L}\d]))|(?=\p{Sc}\d))`,
  'uy',
);
const ratedBefore = /(?:\d ?\p{L}{1,6}|\p{L}{1,3}\/\p{L}{1,3}|(?<!\p{L})\p{Ll}{2,15}s|\d)$/u;
const unitsOfRate: Readonly<Record<string, string>> = {
  sec: 'second',
  min: 'minute',
  hr: 'hour',
  d: 'day',
  wk: 'week',
  mo: 'month',
  yr: 'year',
  mi: 'mile',
  km: 'kilometer',
  kg: 'kilogram',
  lb: 'pound',
};

/** The last part of `5 mg/kg/day`, `5x/week`, `7 days/wk` and `4 doses/24 h`; of `3/$10` too, which are sold together. */
export const rates: SemioticClass = {
  name: 'rate',
  begins: ['sign'],
  signs: '/',
  find(place) {
    const cursor = cursorAt(place);
    const [written, unit] = take(cursor, rate) ?? [];
    if (written === undefined || !ratedBefore.test(place.before)) return undefined;
    if (unit !== undefined) return foundAt(cursor, wordsOf(` per ${unitsOfRate[unit] ?? unit}`));
    const isPrice = isNext(place.text, cursor.at, /\p{Sc}/uy);
    if (/\d$/.test(place.before) !== isPrice) return undefined;
    return foundAt(cursor, wordsOf(isPrice ? ' for ' : ' per '));
  },
};
