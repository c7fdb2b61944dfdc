/** Words of English that tokens are recognized by, and said with. */
import type { Place, SemioticClass } from '../language.ts';
import { cursorAt, foundAt, isBehind, isNext, take } from '../place.ts';
import { endsSentence } from '../sentence-ends.ts';

export const monthNames = 'January February March April May June July August September October November December'.split(
  ' ',
);
export const months = new Map<string, number>(
  monthNames.flatMap((name, index) => {
    const lower = name.toLowerCase();
    const short = lower === 'september' ? ['sep', 'sept'] : [lower.slice(0, 3), ...(lower.length === 4 ? [lower] : [])];
    return [lower, ...short].map((written) => [written, index + 1] as const);
  }),
);
export const weekdays = new Map<string, string>(
  ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].flatMap((name) => {
    const lower = name.toLowerCase();
    const short =
      lower === 'tuesday' ? ['tue', 'tues'] : lower === 'thursday' ? ['thu', 'thur', 'thurs'] : [lower.slice(0, 3)];
    return [lower, ...short].map((written) => [written, name] as const);
  }),
);

/** Abbreviations that never end a sentence, with their periods. */
const open: Readonly<Record<string, string>> = {
  'Mr.': 'Mister',
  'Mrs.': 'Missus',
  'Ms.': 'Miz',
  'Messrs.': 'Messieurs',
  'Dr.': 'Doctor',
  'Drs.': 'Doctors',
  'Prof.': 'Professor',
  'Gen.': 'General',
  'Capt.': 'Captain',
  'Cpt.': 'Captain',
  'Lt.': 'Lieutenant',
  'Sgt.': 'Sergeant',
  'Col.': 'Colonel',
  'Maj.': 'Major',
  'Cmdr.': 'Commander',
  'Cpl.': 'Corporal',
  'Pvt.': 'Private',
  'Adm.': 'Admiral',
  'Gov.': 'Governor',
  'Sen.': 'Senator',
  'Rep.': 'Representative',
  'Rev.': 'Reverend',
  'Hon.': 'Honorable',
  'Pres.': 'President',
  'Supt.': 'Superintendent',
  'Det.': 'Detective',
  'Insp.': 'Inspector',
  'Ft.': 'Fort',
  'Mt.': 'Mount',
  'Mts.': 'Mountains',
  'e.g.': 'for example',
  'E.g.': 'For example',
  'eg.': 'for example',
  'i.e.': 'that is',
  'I.e.': 'That is',
  'ie.': 'that is',
  'vs.': 'versus',
  'Vs.': 'Versus',
  'cf.': 'compare',
  'Cf.': 'Compare',
  'viz.': 'namely',
  'approx.': 'approximately',
  'Approx.': 'Approximately',
  'esp.': 'especially',
  'incl.': 'including',
  'excl.': 'excluding',
  'resp.': 'respectively',
  'ca.': 'circa',
};
/** Without a period too, as titles of British English are, before a name. */
const titles: Readonly<Record<string, string>> = { Mr: 'Mister', Mrs: 'Missus', Dr: 'Doctor', Prof: 'Professor' };
/** May end a sentence: their period then stays. */
const closing: Readonly<Record<string, string>> = {
  'Jr.': 'Junior',
  'Sr.': 'Senior',
  'Esq.': 'Esquire',
  'etc.': 'et cetera',
  'Etc.': 'Et cetera',
  'dept.': 'department',
  'Dept.': 'Department',
  'Univ.': 'University',
  'Assn.': 'Association',
  'Bros.': 'Brothers',
  'Inc.': 'Incorporated',
  'Ltd.': 'Limited',
  'Corp.': 'Corporation',
  'Co.': 'Company',
  'govt.': 'government',
  'Govt.': 'Government',
  'mins.': 'minutes',
  'hrs.': 'hours',
  'yrs.': 'years',
  'al.': 'al',
  'Ave.': 'Avenue',
  'Blvd.': 'Boulevard',
  'Rd.': 'Road',
  'Ln.': 'Lane',
  'Hwy.': 'Highway',
  'Pkwy.': 'Parkway',
  'Apt.': 'Apartment',
  'Bldg.': 'Building',
  'Sq.': 'Square',
  'Pl.': 'Place',
  'Ct.': 'Court',
};
/** Letters that are read as words. */
const initialisms: Readonly<Record<string, string>> = {
  WWI: 'World War one',
  WWII: 'World War two',
  WW1: 'World War one',
  WW2: 'World War two',
};
const withoutPeriod: Readonly<Record<string, string>> = {
  vs: 'versus',
  Ave: 'Avenue',
  Blvd: 'Boulevard',
  'w/o': 'without',
  'w/': 'with',
  'c/o': 'care of',
  'b/c': 'because',
  'n/a': 'not applicable',
  'N/A': 'not applicable',
  'a/c': 'A C',
  approx: 'approximately',
};
/** Before a number only, with or without a period. */
const beforeNumber: Readonly<Record<string, string>> = {
  No: 'number',
  no: 'number',
  Nos: 'numbers',
  nos: 'numbers',
  Nr: 'number',
  p: 'page',
  pp: 'pages',
  Fig: 'figure',
  Figs: 'figures',
  fig: 'figure',
  figs: 'figures',
  Vol: 'volume',
  Vols: 'volumes',
  vol: 'volume',
  Ch: 'chapter',
  ch: 'chapter',
  Sec: 'section',
  sec: 'section',
  Eq: 'equation',
  Eqs: 'equations',
  eq: 'equation',
  Art: 'article',
  art: 'article',
  para: 'paragraph',
  Para: 'paragraph',
  Pt: 'part',
  Ex: 'example',
  ex: 'example',
  Tab: 'table',
  Ref: 'reference',
  Ver: 'version',
  ver: 'version',
  Rte: 'route',
  Rt: 'route',
  Hwy: 'highway',
  Apt: 'apartment',
  Ste: 'suite',
  Tel: 'telephone',
  tel: 'telephone',
  Ph: 'phone',
  ext: 'extension',
  Ext: 'extension',
  est: 'established',
  Est: 'established',
  c: 'circa',
  Op: 'opus',
};
const streets: Readonly<Record<string, string>> = { 'St.': 'Street', 'Dr.': 'Drive' };
/** Saints of places and churches. */
const saints =
  /\s(?:Louis|Paul|John|Peter|Mary|Francis|George|Helens?|Petersburg|Patrick|Nicholas|Nick|Andrews?|James|Thomas|Joseph|Moritz|Pancras|Albans?|Lucia|Kitts|Vincent|Germain|Tropez|Augustine|Michael|Mark|Luke|Matthew|Anne?|Catherine|Clair|Cloud|Croix|Martin|Stephen|Bernard|Elizabeth|Anthony|Barth|Basil|Bride|Christopher|Clement|David|Denis|Ives|Jude|Lawrence|Leonard|Margaret|Olaf|Pauli|Simon|Valentine|Teresa|Therese|Ignatius|Gallen|Agnes)(?!\p{L})/uy;
const capitalized = /(?<![\p{L}\p{N}])(?:\p{Lu}[\p{L}’']{1,20}|\d{1,3}(?:st|nd|rd|th))\s$/u;
/** Capitalized at the beginning of a sentence only. */
const functionWord =
  /(?<!\p{L})(?:The|In|At|On|Of|To|From|By|Near|And|For|With|Is|Was|See|Visit|Our|Dear|Ask|Call|Then|So|But|If|When|Meet|Hi|Hello|Yes|No|Oh|After|Before|Mount|Lake|Fort|Port|Sault|Church|Saint)\s$/u;

const dotted = /(?:\p{L}{1,8}\.){1,3}|\p{L}{1,8}(?:\/\p{L}?)?/uy;
const number = /\.?[ \u00a0]?(?=\d|[IVXLC]{1,6}(?!\p{L})|#\d)/uy;

const wordsOf = (spoken: string): { readonly kind: 'words'; readonly spoken: string } => ({ kind: 'words', spoken });

function sayStreet(place: Place, written: string, end: number): string | undefined {
  const street = streets[written];
  if (street === undefined || !capitalized.test(place.before) || functionWord.test(place.before)) return undefined;
  if (isNext(place.text, end, saints) && written === 'St.') return undefined;
  const isBeforeName = isNext(place.text, end, /\s\p{Lu}\p{Ll}/uy) && !endsSentence(place.text, end, 'typical word');
  if (isBeforeName && written === 'Dr.') return undefined;
  return street + (endsSentence(place.text, end, 'any capital') ? '.' : '');
}

export const abbreviations: SemioticClass = {
  name: 'abbreviation',
  begins: ['letter'],
  find(place) {
    if (!place.isBorder || /[.@/\w-]$/.test(place.before)) return undefined;
    const cursor = cursorAt(place);
    const [written = ''] = take(cursor, dotted) ?? [];
    if (written === '') return undefined;
    const { text } = place;
    const street = sayStreet(place, written, cursor.at);
    if (street !== undefined) return foundAt(cursor, wordsOf(street));
    if (written === 'St.' && isNext(text, cursor.at, /\s\p{Lu}/uy)) return foundAt(cursor, wordsOf('Saint'));
    const openly = open[written];
    if (openly !== undefined) {
      // Titles stand before a name, `Col.` and `Ft.` are something else in a table.
      if (/^\p{Lu}/u.test(openly) && !isNext(text, cursor.at, /\s|$/uy)) return undefined;
      return foundAt(cursor, wordsOf(openly));
    }
    const closed = closing[written];
    if (closed !== undefined) {
      if (written === 'al.' && !/ et $/.test(place.before)) return undefined;
      if (/^(?:Co|Ct|Pl|Sq)\.$/.test(written) && !capitalized.test(place.before) && !/[&,] ?$/.test(place.before))
        return undefined;
      const certainty = written.toLowerCase() === 'etc.' ? 'any capital' : 'typical word';
      return foundAt(cursor, wordsOf(closed + (endsSentence(text, cursor.at, certainty) ? '.' : '')));
    }
    cursor.at = place.start;
    const [name = ''] = take(cursor, /\p{L}{1,4}/uy) ?? [];
    const counted = beforeNumber[name];
    if (counted !== undefined && !isNext(text, cursor.at, /\p{L}/uy)) {
      const afterName = cursor.at;
      const [gap = ''] = take(cursor, number) ?? [];
      const isWritten = gap.startsWith('.') || /^(?:pp?|Nr|vol|Vol|Fig|Ch|Rte|Ste|Apt|ext|Ext|Tel|tel)$/.test(name);
      // `Fig. A`
      if (gap === '' && /^Figs?$/i.test(name) && take(cursor, /\.[ ](?=[A-Z](?![\p{L}]))/uy) !== undefined)
        return foundAt(cursor, wordsOf(`${counted} `));
      if (gap !== '' && isWritten && !/^\./.test(text.slice(cursor.at, cursor.at + 1)))
        return foundAt(cursor, wordsOf(`${counted} `));
      cursor.at = afterName;
      if (/^tel$/i.test(name) && take(cursor, /\.?(?=:)/y) !== undefined) return foundAt(cursor, wordsOf(counted));
    }
    cursor.at = place.start;
    const plain =
      /^(?:w\/o?|[cb]\/[oc]|n\/a|N\/A|a\/c)(?![\p{L}\d])/u.exec(text.slice(place.start, place.start + 5))?.[0] ?? name;
    const said = withoutPeriod[plain];
    if (said !== undefined && !isNext(text, place.start + plain.length, /[\p{L}\d.]/uy)) {
      cursor.at = place.start + plain.length;
      return foundAt(cursor, wordsOf(said));
    }
    const initials = /^WW(?:II?|[12])(?![\p{L}\d])/u.exec(text.slice(place.start, place.start + 5))?.[0] ?? '';
    const initialism = initialisms[initials];
    if (initialism !== undefined) {
      cursor.at = place.start + initials.length;
      return foundAt(cursor, wordsOf(initialism));
    }
    const title = titles[written];
    if (title !== undefined && isNext(text, place.start + written.length, /[ \u00a0]\p{Lu}/uy)) {
      cursor.at = place.start + written.length;
      return foundAt(cursor, wordsOf(title));
    }
    return undefined;
  },
};

const ampersands = /\p{Lu}{1,3}&\p{Lu}{1,3}(?![\p{L}\d])/uy;
const quarter = /(Q[1-4]|FY|H[12])[ -]?((?:19|20)\d\d)(?![\d\p{L}]|[.,]\d)/uy;

/** `AT&T`, `R&D`. */
export const letters: SemioticClass = {
  name: 'letters',
  begins: ['letter'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [written] = take(cursor, ampersands) ?? [];
    return written === undefined ? undefined : foundAt(cursor, wordsOf(written.replace('&', ' and ')));
  },
};

/** `FY2024` and `Q3 2025`, whose number is a year. */
export const businessYears: SemioticClass = {
  name: 'business year',
  begins: ['letter'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [, name = '', year] = take(cursor, quarter) ?? [];
    if (year === undefined) return undefined;
    const [letter, digit] = name === 'FY' ? ['FY', ''] : [name[0], name[1]];
    const spokenDigit = { '': '', 1: ' one', 2: ' two', 3: ' three', 4: ' four' }[digit ?? ''] ?? '';
    const years = place.language.say.year({ kind: 'year', first: year }, place, cursor.at) ?? year;
    return foundAt(cursor, wordsOf(`${letter}${spokenDigit} ${years}`));
  },
};

const special: Readonly<Record<string, string>> = {
  '24/7': 'twenty-four seven',
  '9/11': 'nine eleven',
  '50/50': 'fifty-fifty',
  '20/20': 'twenty-twenty',
  '7/11': 'seven eleven',
};
const specialNumber = /(?:24\/7|9\/11|50\/50|20\/20|7\/11)(?![\d\p{L}/]|[.,-]\d)/uy;
const numberSign = /#[ ]?(?=\d)/y;
const sectionSigns = /§§?[ \u00a0]?(?=\d)|¶[ \u00a0]?(?=\d)/y;
const ampersand = /&/y;

const days = /(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\.?[-–](Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)(?![\p{L}\d])/uy;

/** `Mon–Fri` */
export const weekdayRanges: SemioticClass = {
  name: 'weekdays',
  begins: ['letter'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [, first = '', last = ''] = take(cursor, days) ?? [];
    if (last === '') return undefined;
    return foundAt(cursor, wordsOf(`${weekdays.get(first.toLowerCase())} to ${weekdays.get(last.toLowerCase())}`));
  },
};

const pluralNumber = /(\d{1,4})s(?![\p{L}\d])/uy;

/** `747s`, `F-16s`: names, not seconds. */
export const pluralNumbers: SemioticClass = {
  name: 'plural number',
  begins: ['digit'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [, digits = ''] = take(cursor, pluralNumber) ?? [];
    const isName = digits.length >= 3 || /\p{L}-$/u.test(place.before);
    if (digits === '' || !isName || /^(?:1\d|20)\d0$/.test(digits)) return undefined;
    const said = place.language.sayNumeral({ whole: digits });
    const plural = said.endsWith('y') ? `${said.slice(0, -1)}ies` : said.endsWith('x') ? `${said}es` : `${said}s`;
    return foundAt(cursor, wordsOf(plural));
  },
};

const abbreviatedCount = /(\d{1,4}(?:\.\d{1,3})?)([kKMB])(?=\+?\s(?:\p{Ll}{2,20}(?<!s)s|people)(?!\p{L}))/uy;
const countNames: Readonly<Record<string, string>> = { k: 'thousand', K: 'thousand', M: 'million', B: 'billion' };

/** `1.5k followers`, but not `a 10K race`. */
export const abbreviatedCounts: SemioticClass = {
  name: 'abbreviated count',
  begins: ['digit'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [, digits = '', letter = ''] = take(cursor, abbreviatedCount) ?? [];
    if (digits === '') return undefined;
    const [whole = '', fraction] = digits.split('.');
    return foundAt(cursor, wordsOf(`${place.language.sayNumeral({ whole, fraction })} ${countNames[letter]}`));
  },
};

const books =
  /(?<!\p{L})(?:Genesis|Exodus|Leviticus|Numbers|Deuteronomy|Joshua|Judges|Ruth|Samuel|Kings|Chronicles|Ezra|Nehemiah|Esther|Job|Psalms?|Proverbs|Ecclesiastes|Isaiah|Jeremiah|Lamentations|Ezekiel|Daniel|Hosea|Joel|Amos|Jonah|Micah|Matthew|Mark|Luke|John|Acts|Romans|Corinthians|Galatians|Ephesians|Philippians|Colossians|Thessalonians|Timothy|Titus|Hebrews|James|Peter|Jude|Revelation|Surah|Quran)\s$/u;
const verse = /(\d{1,3}):(\d{1,3})(?:[-–](\d{1,3}))?(?![\d:])/y;

/** `Psalm 23:1-6` */
export const verses: SemioticClass = {
  name: 'verse',
  begins: ['digit'],
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

export const signWords: SemioticClass = {
  name: 'sign',
  begins: ['sign', 'digit'],
  find(place) {
    const cursor = cursorAt(place);
    const [written = ''] = take(cursor, specialNumber) ?? [];
    if (written !== '' && place.isBorder) return foundAt(cursor, wordsOf(special[written] ?? written));
    cursor.at = place.start;
    if (take(cursor, numberSign) !== undefined && !/[\p{L}\p{N}]$/u.test(place.before))
      return foundAt(cursor, wordsOf('number '));
    if (/(?:UTC|GMT)$/.test(place.before) && take(cursor, /-(?=\d)/y) !== undefined)
      return foundAt(cursor, wordsOf(' minus '));
    const [section = ''] = take(cursor, sectionSigns) ?? [];
    if (section !== '')
      return foundAt(
        cursor,
        wordsOf(section.startsWith('§§') ? 'sections ' : section.startsWith('¶') ? 'paragraph ' : 'section '),
      );
    const isBetweenWords = /(?:^|\s)$/.test(place.before) && /\s/.test(place.text[place.start + 1] ?? '');
    if (isBetweenWords && take(cursor, ampersand) !== undefined) return foundAt(cursor, wordsOf('and'));
    return undefined;
  },
};
