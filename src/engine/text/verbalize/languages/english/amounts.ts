/** Numbers that English says in ways of its own: plurals, counts with a letter, verses, powers of ten, rates. */
import { pattern } from '../../../pattern.ts';
import { tableOf } from '../../../table.ts';
import { isBehind, isNext, patternClass } from '../../place.ts';

const pluralNumber = /(?:(\d{1,2})x)?(\d{1,4})s(?![\p{L}\d])/uy;

/** `747s`, `F-16s`, `2x4s`: names, not seconds. `100s of` are hundreds. */
const pluralNumbers = patternClass(
  { begins: 'digit', digitsBefore: ['letter'] },
  pluralNumber,
  ([, by, digits = ''], place, { at }) => {
    const { text, before, language } = place;
    const round =
      /^1(?:0{1,3})$/.test(digits) && (isNext(text, at, /\sof\s/y) || isBehind(place, /s of\s$/))
        ? { 10: 'tens', 100: 'hundreds', 1000: 'thousands' }[digits]
        : undefined;
    if (round !== undefined) return round;
    // `1s and 0s`
    const isBit = /^[01]$/.test(digits) && (isNext(text, at, /\sand\s[01]s/y) || isBehind(place, /[01]s\sand\s$/));
    const isName = isBit || by !== undefined || digits.length >= 3 || /\p{L}-$/u.test(before);
    if (!isName || /^(?:1\d|20)\d0$/.test(digits)) return undefined;
    const said = language.sayNumeral({ whole: digits });
    const plural = said.endsWith('y') ? `${said.slice(0, -1)}ies` : said.endsWith('x') ? `${said}es` : `${said}s`;
    return by === undefined ? plural : `${language.sayNumeral({ whole: by })} by ${plural}`;
  },
);

const abbreviatedCount =
  /([~≈]?)(\d{1,4}(?:\.\d{1,3})?)([kKMB])(?=\+?\s(?:(?<=[MB]\s)\p{Ll}{2,20}\s)?(?:\p{Ll}{2,20}(?<!s)s|people)(?!\p{L})|(?<=\.\d{1,3}[MB])(?![\p{L}\d+-]))/uy;
const countNames: Readonly<Record<string, string>> = { k: 'thousand', K: 'thousand', M: 'million', B: 'billion' };

/** `1.5k followers`, but not `a 10K race`. */
const abbreviatedCounts = patternClass(
  { begins: 'digit sign', signs: '~≈', digitsBefore: ['letter', 'number'] },
  abbreviatedCount,
  ([, about, digits = '', letter = ''], { language }) => {
    const [whole = '', fraction] = digits.split('.');
    return `${about === '' ? '' : 'about '}${language.sayNumeral({ whole, fraction })} ${countNames[letter]}`;
  },
);

const books =
  /(?<!\p{L})(?:Genesis|Exodus|Leviticus|Numbers|Deuteronomy|Joshua|Judges|Ruth|Samuel|Kings|Chronicles|Ezra|Nehemiah|Esther|Job|Psalms?|Proverbs|Ecclesiastes|Isaiah|Jeremiah|Lamentations|Ezekiel|Daniel|Hosea|Joel|Amos|Jonah|Micah|Matthew|Mark|Luke|John|Acts|Romans|Corinthians|Galatians|Ephesians|Philippians|Colossians|Thessalonians|Timothy|Titus|Hebrews|James|Peter|Jude|Revelation|Surah|Quran)\s$/u;
const verse = /(\d{1,3}):(\d{1,3})(?:[-–](\d{1,3}))?(?![\d:])/y;

/** `Psalm 23:1-6` */
const verses = patternClass(
  { begins: 'digit', digitsBefore: ['colon'], behind: books, isGlued: true },
  verse,
  ([, ...groups], { language }) => {
    const [chapter, first, last] = groups.map((whole) => (whole === undefined ? '' : language.sayNumeral({ whole })));
    return `${chapter} ${first}${last === '' ? '' : ` to ${last}`}`;
  },
);

const scientific = /(\d{1,20}(?:\.\d{1,20})?)[eE]([-+−]?)(\d{1,3})(?![\p{L}\d])/uy;

/** `1.6e-19` */
const scientificNumbers = patternClass(
  { begins: 'digit', digitsBefore: ['letter', 'number'] },
  scientific,
  ([, digits = '', sign, exponent], { language: { sayNumeral } }) => {
    const [whole = '', fraction] = digits.split('.');
    const power = `${/[-−]/.test(sign ?? '') ? 'minus ' : ''}${sayNumeral({ whole: String(Number(exponent)) })}`;
    return `${sayNumeral({ whole, fraction })} times ten to the power of ${power}`;
  },
);

export const ownAmounts = [verses, pluralNumbers, abbreviatedCounts, scientificNumbers];

const byTime =
  'second|sec|minute|min|hour|hr|day|d|night|week|wk|month|mo|quarter|year|yr|dose|person|mile|mi|km|kg|lb|unit|user|seat|box|bag|bottle|serving|capita|game|page|share';
const rate = pattern(
  'uy',
)`\/ ?(?:(${byTime})(?![\p{L}\d/²³-])|(?=\d{1,4}(?:\.\d{1,3})? ?(?:h|hrs?|hours?|d|days?|wks?|weeks?|min|m²|m2|mL|km)(?![\p{L}\d]))|(?=\p{Sc}\d))`;
const ratedBefore = /(?:\d ?\p{L}{1,6}|\p{L}{1,3}\/\p{L}{1,3}|(?<!\p{L})\p{Ll}{2,15}s|\d)$/u;
const unitsOfRate = tableOf(`
  sec=second|min=minute|hr=hour|d=day|wk=week|mo=month|yr=year|mi=mile|km=kilometer|kg=kilogram|lb=pound
`);

/** The last part of `5 mg/kg/day`, `5x/week`, `7 days/wk` and `4 doses/24 h`; of `3/$10` too, which are sold together. */
export const rates = patternClass({ begins: 'sign', signs: '/' }, rate, ([, unit], { text, before }, { at }) => {
  if (!ratedBefore.test(before)) return undefined;
  if (unit !== undefined) return ` per ${unitsOfRate[unit] ?? unit}`;
  const isPrice = isNext(text, at, /\p{Sc}/uy);
  if (/\d$/.test(before) !== isPrice) return undefined;
  return isPrice ? ' for ' : ' per ';
});
