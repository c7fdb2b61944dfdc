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
  'y/o': 'year-old',
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
/** By what stands before them: `5th c.`, `$5 ea.`, `¾ c. sugar` */
const behindAmount: Readonly<Record<string, readonly [before: RegExp, spoken: string]>> = {
  'c.': [/\d(?:st|nd|rd|th) $/, 'century'],
  'ea.': [/\d $/, 'each'],
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
const number = /\.?[ \u00a0]?(?=\(?\d|[IVXLC]{1,6}(?!\p{L})|#\d)/uy;

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
    if (written === 'St' && isNext(text, cursor.at, saints)) return foundAt(cursor, wordsOf('Saint'));
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
    const measured = behindAmount[written];
    if (measured !== undefined && isBehind(place, measured[0])) {
      const stop = endsSentence(text, cursor.at, 'typical word') ? '.' : '';
      return foundAt(cursor, wordsOf(measured[1] + stop));
    }
    cursor.at = place.start;
    const [name = ''] = take(cursor, /\p{L}{1,4}/uy) ?? [];
    const counted = beforeNumber[name];
    if (counted !== undefined && !isNext(text, cursor.at, /\p{L}/uy)) {
      const afterName = cursor.at;
      const [gap = ''] = take(cursor, number) ?? [];
      const isWritten = gap.startsWith('.') || /^(?:pp?|Nr|vol|Vol|Fig|Ch|Rte|Hwy|Ste|Apt|ext|Ext|Tel|tel)$/.test(name);
      // `p95 latency`
      if (name === 'p' && /^(?:5|9{1,3}5?)\d?(?!\d)/.test(text.slice(cursor.at)) && gap === '') return undefined;
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
      /^(?:w\/o?|[cb]\/[oc]|n\/a|N\/A|a\/c|y\/o)(?![\p{L}\d])/u.exec(text.slice(place.start, place.start + 5))?.[0] ??
      name;
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
const quarter = /(Q[1-4]|FY|H[12])(?:[ -]?((?:19|20)\d\d)| ?['’](\d\d))(?![\d\p{L}]|[.,]\d)/uy;
const quarterRange = /(Q)([1-4]) ?[-–—] ?Q([1-4])(?![\d\p{L}])/uy;

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
    const [, name = '', full, short] = take(cursor, quarter) ?? [];
    const year = full ?? short;
    if (year === undefined) return undefined;
    const [letter, digit] = name === 'FY' ? ['FY', ''] : [name[0], name[1]];
    const spokenDigit = { '': '', 1: ' one', 2: ' two', 3: ' three', 4: ' four' }[digit ?? ''] ?? '';
    const years = place.language.say.year({ kind: 'year', first: year }, place, cursor.at) ?? year;
    return foundAt(cursor, wordsOf(`${letter}${spokenDigit} ${years}`));
  },
};

/** `Q1-Q3` */
export const quarterRanges: SemioticClass = {
  name: 'quarters',
  begins: ['letter'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [, letter = '', ...quarters] = take(cursor, quarterRange) ?? [];
    if (letter === '') return undefined;
    const [first, last] = quarters.map((whole) => `${letter} ${place.language.sayNumeral({ whole })}`);
    return foundAt(cursor, wordsOf(`${first} to ${last}`));
  },
};

const special: Readonly<Record<string, string>> = {
  '24/7': 'twenty-four seven',
  '9/11': 'nine eleven',
  '50/50': 'fifty-fifty',
  '20/20': 'twenty-twenty',
  '7/11': 'seven eleven',
  '401(k)': 'four oh one K',
  '401k': 'four oh one K',
  '403(b)': 'four oh three B',
};
const specialNumber = /(?:24\/7|9\/11|50\/50|20\/20|7\/11|401(?:\(k\)|k)|403\(b\))(?![\d\p{L}/]|[.,-]\d)/uy;
const numberSign = /#[ ]?(?=\d)/y;
const sectionSigns = /§§?[ \u00a0]?(?=\d)|¶[ \u00a0]?(?=\d)/y;

const day = '(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)';
const days = new RegExp(String.raw`${day}\.?[-–]${day}(?![\p{L}\d])`, 'uy');
/** `M–F, 8:30` */
const month =
  '(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)';
const dateDash = new RegExp(
  String.raw` ?[-–—] ?(?=${month}\.? \d|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?!\p{L}))`,
  'uy',
);
const beforeDash = new RegExp(String.raw`(?:\d|${month}|day)$`, 'u');
const letterDays = /(M)[-–](F|Th|Sa)(?=[,:]? \d)/y;
const dayAlone = new RegExp(String.raw`${day}\.?(?![\p{L}\d])`, 'uy');
/** What shows that a short word is a day. */
const behindDay = new RegExp(
  String.raw`[,:]?\s\(?(?:\d|noon|at\s|@|\p{Lu}\p{Ll}{2,8}\.?\s\d)|\s?[&/+]\s?${day}|\s(?:and|or|to|through|thru)\s${day}`,
  'uy',
);
const beforeDay = new RegExp(
  String.raw`(?<!\p{L})(?:on|by|until|till|closed|every|each|next|last|from|since|thru|through|${day}\s(?:and|or|to))\s$|${day}\.?\s?[&/+]\s?$`,
  'u',
);

/** `Mon–Fri` */
export const weekdayRanges: SemioticClass = {
  name: 'weekdays',
  begins: ['letter'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [, first = '', last = ''] = take(cursor, days) ?? take(cursor, letterDays) ?? [];
    if (last === '') return undefined;
    const [from, to] = [first, last].map((name) =>
      weekdays.get({ M: 'mon', F: 'fri', Th: 'thu', Sa: 'sat' }[name] ?? name.toLowerCase()),
    );
    return foundAt(cursor, wordsOf(`${from} to ${to}`));
  },
};

/** `Jan 2023–Mar 2024`, `Monday–Friday` */
export const dateDashes: SemioticClass = {
  name: 'date range',
  begins: ['sign'],
  find(place) {
    const cursor = cursorAt(place);
    if (take(cursor, dateDash) === undefined || !isBehind({ ...place, before: place.before.trimEnd() }, beforeDash))
      return undefined;
    return foundAt(cursor, { kind: 'operator', sign: 'to' });
  },
};

/** `Tue 3/4`, `closed Sun`, `Sat & Sun`. */
export const weekdayNames: SemioticClass = {
  name: 'weekday',
  begins: ['letter'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [written = '', name = ''] = take(cursor, dayAlone) ?? [];
    if (name === '' || (!isNext(place.text, cursor.at, behindDay) && !isBehind(place, beforeDay))) return undefined;
    const stop = written.endsWith('.') && endsSentence(place.text, cursor.at, 'any capital') ? '.' : '';
    return foundAt(cursor, wordsOf(`${weekdays.get(name.toLowerCase())}${stop}`));
  },
};

const pluralNumber = /(?:(\d{1,2})x)?(\d{1,4})s(?![\p{L}\d])/uy;

/** `747s`, `F-16s`, `2x4s`: names, not seconds. `100s of` are hundreds. */
export const pluralNumbers: SemioticClass = {
  name: 'plural number',
  begins: ['digit'],
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

const abbreviatedCount = /([~≈]?)(\d{1,4}(?:\.\d{1,3})?)([kKMB])(?=\+?\s(?:\p{Ll}{2,20}(?<!s)s|people)(?!\p{L}))/uy;
const countNames: Readonly<Record<string, string>> = { k: 'thousand', K: 'thousand', M: 'million', B: 'billion' };

/** `1.5k followers`, but not `a 10K race`. */
export const abbreviatedCounts: SemioticClass = {
  name: 'abbreviated count',
  begins: ['digit', 'sign'],
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
    const key = isBehind(place, pressed) ? take(cursor, keys)?.[0] : undefined;
    if (key !== undefined) {
      const digits = key.slice(1).replace(/\d/g, (digit) => ` ${place.language.sayNumeral({ whole: digit })}`);
      return foundAt(cursor, wordsOf((key.startsWith('*') ? 'star' : 'pound') + digits));
    }
    const behind = take(cursor, behindNumber)?.[0];
    if (behind !== undefined)
      return /\d ?$/.test(place.before) ? foundAt(cursor, wordsOf(behind === '#' ? ' pound' : ' stars')) : undefined;
    if (!/\S\s$/.test(place.before)) return undefined;
    const [between = ''] = take(cursor, betweenWords) ?? [];
    const spoken = signNames[between];
    return spoken === undefined ? undefined : foundAt(cursor, wordsOf(spoken));
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

const codeLike = /[CF][+#]|0x|[\dA-F]{2}:|CVE-/y;
const codeName =
  /C\+\+(?!\+)|[CF]#(?![\p{L}\d])|0x([\dA-Fa-f]{1,16})(?![\p{L}\d])|(?:[\dA-F]{2}:){5}[\dA-F]{2}(?![\p{L}\d:])|CVE-(\d{4})-(\d{4,7})(?!\d)/uy;

/** What programmers write: `C++17`, `C#`, `0xFF`, a MAC address. */
export const codeNames: SemioticClass = {
  name: 'code name',
  begins: ['letter', 'digit'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    // Most words and numbers are no code.
    if (!isNext(place.text, place.start, codeLike)) return undefined;
    const [written, hexadecimal, year, number] = take(cursor, codeName) ?? [];
    if (written === undefined) return undefined;
    const { sayNumeral, say } = place.language;
    const spell = (characters: string): string =>
      [...characters].map((one) => (/\d/.test(one) ? sayNumeral({ whole: one }) : one.toUpperCase())).join(' ');
    if (year !== undefined && number !== undefined)
      return foundAt(
        cursor,
        wordsOf(`CVE ${say.year({ kind: 'year', first: year }, place, cursor.at)}, ${spell(number)}`),
      );
    if (hexadecimal !== undefined) return foundAt(cursor, wordsOf(`hex ${spell(hexadecimal)}`));
    if (written.includes(':')) return foundAt(cursor, wordsOf(written.split(':').map(spell).join(', ')));
    return foundAt(cursor, wordsOf(`${written[0]} ${written.endsWith('#') ? 'sharp' : 'plus plus'}`));
  },
};
