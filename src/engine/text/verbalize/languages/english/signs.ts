/** Signs that English has words for, and names of programs. */
import { signsOf } from '../../../table.ts';
import { isBehind, isNext, take, tokenClass } from '../../place.ts';

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
    const spoken = signNames[between];
    return spoken === undefined ? undefined : spoken;
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
