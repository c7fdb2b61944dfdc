/** Numbers, rates and signs that English says in ways of its own, and names of programs. */
import { pattern } from '../../../pattern.ts';
import { signsOf, tableOf } from '../../../table.ts';
import { isBehind, isNext, patternClass, take, tokenClass } from '../../place.ts';

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

const special = signsOf(`
  24/7 twenty-four seven|9/11 nine eleven|50/50 fifty-fifty|20/20 twenty-twenty|7/11 seven eleven|
  401(k) four oh one K|401k four oh one K|403(b) four oh three B
`);
const specialNumber = /(?:24\/7|9\/11|50\/50|20\/20|7\/11|401(?:\(k\)|k)|403\(b\))(?![\d\p{L}/]|[.,-]\d)/uy;
const numberSign = /#[ ]?(?=\d)/y;
const sectionSigns = /§§?[ \u00a0]?(?=\d)|¶[ \u00a0]?(?=\d)/y;

/** Signs of a telephone's keys, also with the digits behind them, as in `*67`. */
const keys = /\*\d{0,3}(?![\d\p{L}*])|#(?![\p{L}\d#])/uy;
const pressed = /(?<!\p{L})(?:press|pressing|dial|dialing|hit|enter|push|followed by|then|or|and)\s(?:the\s)?["“]?$/iu;
const behindNumber = /#(?![\p{L}\d#])| ?★(?!★)/uy;
const betweenWords = /(?:&&?|@|!==?|\|\|)(?=\s\S)/y;
const signNames: Readonly<Record<string, string>> = {
  '&': 'and',
  '&&': 'and',
  '@': 'at',
  '!=': 'is not equal to',
  '!==': 'is not equal to',
  '||': 'or',
};

export const signWords = tokenClass(
  { begins: 'sign digit', signs: '#§¶*★&@!|-', digitsBefore: ['slash', 'sign', 'letter'], isGlued: true },
  (cursor, place) => {
    if (/\d/.test(place.text[place.start] ?? '')) {
      const [written = ''] = take(cursor, specialNumber) ?? [];
      return written !== '' && place.isBorder ? (special[written] ?? written) : undefined;
    }
    if (take(cursor, numberSign) !== undefined && !/[\p{L}\p{N}]$/u.test(place.before)) return 'number ';
    if (/(?:UTC|GMT)$/.test(place.before) && take(cursor, /-(?=\d)/y) !== undefined) return ' minus ';
    const [section = ''] = take(cursor, sectionSigns) ?? [];
    if (section !== '')
      return section.startsWith('§§') ? 'sections ' : section.startsWith('¶') ? 'paragraph ' : 'section ';
    const key = isBehind(place, pressed) ? take(cursor, keys)?.[0] : undefined;
    if (key !== undefined) {
      const digits = key.slice(1).replace(/\d/g, (digit) => ` ${place.language.sayNumeral({ whole: digit })}`);
      return (key.startsWith('*') ? 'star' : 'pound') + digits;
    }
    const behind = take(cursor, behindNumber)?.[0];
    if (behind !== undefined) return /\d ?$/.test(place.before) ? (behind === '#' ? ' pound' : ' stars') : undefined;
    // `3@$5`
    if (!/\p{L}$/u.test(place.before) && take(cursor, /@(?=\p{Sc}?\d)/uy) !== undefined)
      return /\S$/.test(place.before) ? ' at ' : 'at ';
    if (!/\S\s$/.test(place.before)) return undefined;
    const [between = ''] = take(cursor, betweenWords) ?? [];
    return signNames[between];
  },
);

const codeLike = /[CF][+#]|0x|[\dA-F]{2}:|CVE-/y;
const codeName =
  /C\+\+(?!\+)|[CF]#(?![\p{L}\d])|0x([\dA-Fa-f]{1,16})(?![\p{L}\d])|(?:[\dA-F]{2}:){5}[\dA-F]{2}(?![\p{L}\d:])|CVE-(\d{4})-(\d{4,7})(?!\d)/uy;

/** Names as programmers write them: `C++17`, `C#`, `0xFF`, a MAC address. */
export const codeNames = tokenClass(
  { begins: 'letter digit', isJoined: true, digitsBefore: ['letter', 'colon'], isCapital: true },
  (cursor, place) => {
    // Most words and numbers are no code.
    if (!isNext(place.text, place.start, codeLike)) return undefined;
    const [written, hexadecimal, year, number] = take(cursor, codeName) ?? [];
    if (written === undefined) return undefined;
    const { sayNumeral, say } = place.language;
    const spell = (characters: string): string =>
      [...characters].map((one) => (/\d/.test(one) ? sayNumeral({ whole: one }) : one.toUpperCase())).join(' ');
    if (year !== undefined && number !== undefined)
      return `CVE ${say.year({ kind: 'year', first: year }, place, cursor.at)}, ${spell(number)}`;
    if (hexadecimal !== undefined) return `hex ${spell(hexadecimal)}`;
    if (written.includes(':')) return written.split(':').map(spell).join(', ');
    return `${written[0]} ${written.endsWith('#') ? 'sharp' : 'plus plus'}`;
  },
);
