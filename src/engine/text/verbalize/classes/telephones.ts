/** Telephone numbers, by their layout or by the words before them. */
import { digitsEnd } from '../follow.ts';
import type { Place } from '../language.ts';
import { type Cursor, isBehind, isBehindWord, isNext, take, tokenClass } from '../place.ts';

const group = /\d{1,12}/y;
const separator = /\)?[ \u00a0]?[-‐‑–./][ \u00a0]?(?=\d)|\)?[ \u00a0](?=[\d(])|\)?(?=\()|\)[ \u00a0]?[-./]?(?=\d)/y;
/** Most numbers are no group of others. */
const grouped = /[+(]|\d{1,12}(?!\d)[)]?[ \u00a0]?[-‐‑–./(\d]/y;
const tail = /(?![\p{N}_]|[-/:]\d|[.,]\d|\p{Script=Latin})/uy;

interface Layout {
  readonly groups: readonly string[];
  readonly separators: readonly string[];
  readonly plus: boolean;
  readonly parenthesis: boolean;
}

/** Groups of digits with separators between them. */
function readLayout(cursor: Cursor): Layout | undefined {
  const plus = take(cursor, /\+ ?(?=[\d(])/y) !== undefined;
  const groups: string[] = [];
  const separators: string[] = [];
  let parenthesis = false;
  let total = 0;
  let end = cursor.at;
  while (groups.length < 8) {
    const isOpen = groups.length < 2 && take(cursor, /\((?=\d{1,5}\))/y) !== undefined;
    const [digits] = take(cursor, group) ?? [];
    // `112 (EU)`, `113 (1973)`
    if (digits === undefined || (isOpen && groups.length === 1 && !plus && groups[0] !== '1')) {
      if (groups.length > 0) cursor.at = end;
      break;
    }
    parenthesis ||= isOpen;
    groups.push(digits);
    total += digits.length;
    end = cursor.at;
    if (isOpen) take(cursor, /\)/y);
    const closed = cursor.at;
    const [mark = isOpen && isNext(cursor.text, closed, /\d/y) ? '' : undefined] = take(cursor, separator) ?? [];
    if (mark === undefined || total >= 15) {
      cursor.at = isOpen ? closed : end;
      break;
    }
    separators.push(mark);
  }
  return groups.length === 0
    ? undefined
    : { groups, separators: separators.slice(0, groups.length - 1), plus, parenthesis };
}

const shape = ({ groups }: Layout): string => groups.map(({ length }) => length).join('-');
/** Layouts of North America, and of mobile numbers of China. */
const northAmerican = /^(?:1-|\d-)?3-3-4$/;
const isAlike = (marks: readonly string[]): boolean => new Set(marks.map((mark) => mark.trim())).size === 1;

function isTelephone(layout: Layout): boolean {
  const { groups, separators, plus, parenthesis } = layout;
  const total = groups.join('').length;
  if (total < 7 || total > 15) return false;
  const form = shape(layout);
  const marks = separators.join('');
  if (plus) return total >= 8 && !marks.includes('/');
  if (parenthesis) return groups.length >= 2 && ((groups[0] ?? '').length >= 2 || groups[0] === '0');
  // `212-5550199`: no range ends with a number so much longer.
  if (groups.length === 2 && marks === '-') {
    const [first = '', last = ''] = groups;
    if (first.length >= 3 && last.length >= 6 && first.length < last.length) return true;
  }
  if (/^0\d(?:-\d\d){3,4}$/.test(groups.join('-')) && isAlike(separators)) return true;
  if (groups.length === 1) return false;
  if (northAmerican.test(form)) return isAlike(separators) || groups.length === 4;
  if (form === '3-4') return marks === '-' || marks === '.';
  if (form === '3-4-4' && (/^1[3-9]/.test(groups[0] ?? '') || isAlike(separators))) return true;
  // Service numbers of many countries.
  if (/^(?:[48]00|1[38]00|0800)$/.test(groups[0] ?? '') && total >= 9 && total <= 11) return !marks.includes('.');
  if ((groups[0] ?? '').startsWith('0') && !marks.includes('.')) {
    return (
      /^0\d/.test(groups[0] ?? '') &&
      total >= 8 &&
      groups.slice(1).every(({ length }) => length >= 2) &&
      !/^0\d[-/]\d\d[-/]\d{2,4}$/.test(groups.join('-'))
    );
  }
  return false;
}

/** Whether the first digits may be those of a layout, by their number and what follows them. */
function mayBegin({ text, start }: Place): boolean {
  const length = digitsEnd(text, start) - start;
  const behind = text.slice(start + length, start + length + 3);
  if (length === 0 || text[start] === '0' || behind.includes('(')) return true;
  return length === 1 || length === 3 || (length > 3 && (text[start] === '1' || behind.startsWith('-')));
}

const lettered = /(1|0(?=-))[- ](8\d\d)((?:-\p{L}{1,9}){1,4})(?![\p{L}\d-])/uy;
/** Letters that are dialled, as the words that they make: `GO-U-HAUL`. */
const wordsOf = (letters: string): string =>
  letters
    .split('-')
    .map((word) => (word.length > 1 && /[AEIOUY]/.test(word) ? word.toLowerCase() : word))
    .join(' ')
    .trim();

export const telephones = tokenClass({ begins: 'digit sign', signs: '+(', isGlued: true }, (cursor, place) => {
  if (!place.isBorder && place.text[place.start] !== '(') return undefined;
  // `1-800-FLOWERS`
  const [, country = '', service = '', letters] = place.isBorder ? (take(cursor, lettered) ?? []) : [];
  if (letters !== undefined) {
    const groups = [country, service];
    return `${place.language.say.telephone({ kind: 'telephone', groups }, place, cursor.at)}, ${wordsOf(letters)}`;
  }
  const isCued = isBehindWord(place) && isBehind(place, place.language.cues.telephone);
  if (!isCued && !isNext(place.text, place.start, grouped)) return undefined;
  if (!isCued && !mayBegin(place)) return undefined;
  const layout = readLayout(cursor);
  if (layout === undefined || !isNext(place.text, cursor.at, tail)) return undefined;
  const total = layout.groups.join('').length;
  const isBare = layout.groups.length === 1 && !layout.plus;
  if (isCued && (isBare ? total >= 3 : total >= 5)) return { kind: 'telephone', groups: layout.groups };
  return isTelephone(layout) ? { kind: 'telephone', groups: layout.groups } : undefined;
});
