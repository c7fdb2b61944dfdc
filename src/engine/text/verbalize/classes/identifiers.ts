/** Numbers that name something: orders, cards, PINs, postal codes, ISBNs, versions and addresses of machines. */
import { digitsEnd } from '../follow.ts';
import { readNumeral } from '../numerals.ts';
import { type Cursor, cursorAt, isBehind, isBehindWord, isNext, patternClass, take, tokenClass } from '../place.ts';
import { programBefore } from './between-values.ts';
import { sayTo } from './dates.ts';

const card = /(\d{4})([ -])(\d{4})\2(\d{4})\2(\d{4})(?:\2\d{1,4}){0,2}(?!\d|[-,.]\d)/y;
const amex = /(\d{4})([ -])(\d{6})\2(\d{5})(?!\d|[-,.]\d)/y;
const socialSecurity = /(\d{3})-(\d{2})-(\d{4})(?!\d|[-,.]\d)/y;
const chain = /\d{1,12}(?:[-–]\d{1,12}){2,8}(?:-[X])?(?![\d\p{L}]|[.,]\d)/uy;
const zip = /\d{5}-\d{4}(?![-\d]|[.,]\d)/y;
const bank = /[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){3,7}(?: ?[A-Z\d]{1,4})?(?![\p{L}\d])/uy;
const isbn = /97[89][- ]?\d{1,5}[- ]?\d{1,7}[- ]?\d{1,7}[- ]?[\dX](?!\d)/y;
const groupsOfDigits = /\d{1,20}(?:[ -]\d{1,20}){0,5}(?![\d\p{L}]|[.,]\d)/uy;
const run = /\d{1,40}(?![\d\p{L}]|[.,]\d)/uy;

const fiveDigits = /\d{5}(?!\d|[.,]\d)/y;

/** Most numbers and words are no name. */
const nameLike = /[A-Z]{2}\d\d|\d[\d -]\d|\d{1,2}[ -]\d|0\d/y;

/** Digits one by one, behind words such as "order" and in layouts such as that of cards. */
export const identifiers = tokenClass({ begins: 'digit letter', isJoined: true, isCapital: true }, (cursor, place) => {
  if (!isNext(place.text, place.start, nameLike)) return undefined;
  const end = digitsEnd(place.text, place.start);
  if (end === place.start) {
    const account = take(cursor, bank);
    return account !== undefined && /\d{8}/.test(account[0].replaceAll(' ', ''))
      ? { kind: 'digits', groups: account[0].split(' ') }
      : undefined;
  }
  const isDashed = place.text[end] === '-' || place.text[end] === '–';
  const layout =
    (end - place.start === 4 ? (take(cursor, card) ?? take(cursor, amex)) : undefined) ??
    (isDashed ? (take(cursor, socialSecurity) ?? take(cursor, chain) ?? take(cursor, zip)) : undefined) ??
    (place.text.startsWith('97', place.start) ? take(cursor, isbn) : undefined);
  if (layout !== undefined) {
    if (isNext(place.text, cursor.at, /[ ]?=/y)) return undefined;
    const groups = layout[0].split(/[ –-]/);
    // `10-6-1`, a record of wins, ties and losses
    if (groups.length === 3 && groups.every((group) => /^(?:0|[1-9]\d?)$/.test(group)) && /\d\d/.test(layout[0])) {
      return groups.map((whole) => place.language.sayNumeral({ whole })).join(' ');
    }
    return { kind: 'digits', groups };
  }
  const { identifier, shortIdentifier, postalCode, name } = place.language.cues;
  const hasCue = isBehindWord(place);
  const isPostal = hasCue && isNext(place.text, place.start, fiveDigits) && isBehind(place, postalCode);
  const isCued = hasCue && isBehind(place, identifier);
  if (isPostal || isCued) {
    const isShort = isPostal || isBehind(place, shortIdentifier);
    const [written] = take(cursor, groupsOfDigits) ?? [];
    const length = written?.replace(/\D/g, '').length ?? 0;
    const isRange = /^[1-9]\d{0,3}-[1-9]\d{0,3}$/.test(written ?? '') && !isBehind(place, name);
    if (written !== undefined && !isRange && length >= (isShort ? 3 : 5) && !isNext(place.text, cursor.at, /[%°]/y)) {
      return { kind: 'digits', groups: written.split(/[ -]/) };
    }
    cursor.at = place.start;
  }
  const [digits] = take(cursor, run) ?? [];
  // An amount of ten digits is written with separators; `007` is none.
  const isName =
    digits !== undefined &&
    (/^0\d/.test(digits) ||
      (digits.length > (place.language.longestAmount ?? 10) && !digits.endsWith('000')) ||
      digits.length > 15);
  return isName ? { kind: 'digits', groups: [digits] } : undefined;
});

const address = /(\d{1,3}(?:\.\d{1,3}){3})(?::(\d{1,5})|\/([0-3]?\d))?(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d]|\.\d)/uy;
/** `2.0.1-beta.3` */
const preRelease = /-?(alpha|beta|rc|dev|preview|pre|canary|next|a(?=\d)|b(?=\d))(?:\.?(\d{1,4}))?(?![\p{L}\d]|\.\d)/uy;
const version = /(\d{1,8}(?:\.\d{1,8}){2,5})(?![\d]|\.\d)/y;
/** With a name behind it, fewer numbers are a version too. */
const shortVersion = /(\d{1,8}\.\d{1,8})(?=-?(?:alpha|beta|rc|dev|preview|canary)\.?\d{0,4}(?![\p{L}\d]))/uy;
/** `Python 3.11`, whose two numbers are a version. */
const ofProgram = /\d{1,3}\.\d{1,3}(?:([-–])\d{1,3}\.\d{1,3})?(?![\p{sc=Latn}\d%°]|[.,]\d|[-–]\d)/uy;
/** `3.11 -> 3.12` where decimals have a comma. */
const changed = /\d{1,3}\.\d{1,3}(?=(?<=-> [\d.]{3,7})(?![\d.,]\d)| -> \d{1,3}\.\d{1,3}(?![\d.,]\d))/y;
const marked = /[vV](?:er)?\.?(\d{1,8}(?:\.\d{1,8}){0,5})(?![\d]|\.\d)/y;

function readRelease(cursor: Cursor): readonly string[] | undefined {
  const [, name, number] = take(cursor, preRelease) ?? [];
  return name === undefined ? undefined : [name, number ?? ''];
}

/** `v1.2.3-rc2`, `10.4.1` and `192.168.1.1:8000`. */
export const versions = tokenClass(
  { begins: 'digit letter', beginsWith: (word) => /^v(?:er)?$/iu.test(word), digitsBefore: ['number'] },
  (cursor, place) => {
    const [, machine, port, mask] = take(cursor, address) ?? [];
    const bytes = machine?.split('.') ?? [];
    // `1.234.567.890` is an amount.
    if (bytes.length > 0 && bytes.every((byte) => Number(byte) <= 255 && !/^0\d/.test(byte)))
      return { kind: 'version', parts: bytes, port, mask };
    cursor.at = place.start;
    const [, named] = take(cursor, marked) ?? [];
    // `V8` is an engine.
    if (named !== undefined && (named.includes('.') || place.text[place.start] === 'v'))
      return { kind: 'version', parts: named.split('.'), named: true, release: readRelease(cursor) };
    cursor.at = place.start;
    if (/\D/.test(place.text[place.start] ?? '')) return undefined;
    const ofNamed = isBehind(place, programBefore) ? take(cursor, ofProgram) : undefined;
    const [pair, dash = '-'] = ofNamed ?? (place.language.decimalMark === ',' ? (take(cursor, changed) ?? []) : []);
    if (pair !== undefined) {
      const [first, last] = pair.split(dash).map((one) => ({ kind: 'version', parts: one.split('.') }) as const);
      if (first === undefined || last === undefined) return first;
      const { say } = place.language;
      return [first, last].map((one) => say.version(one, place, cursor.at)).join(sayTo(place, cursor.at));
    }
    const [, numbers] = take(cursor, shortVersion) ?? take(cursor, version) ?? [];
    if (numbers === undefined) return undefined;
    // `1.234.567` is an amount.
    const numeral = readNumeral(cursorAt(place), place.language);
    if (numeral?.grouped) return undefined;
    return { kind: 'version', parts: numbers.split('.'), release: readRelease(cursor) };
  },
);

const pair = /([BCDGMOPV])2([BCDEGMOPVX])(?![\p{sc=Latn}\d])/uy;
/** `B2B`, whose number is "to". */
export const letterPairs = patternClass(
  { begins: 'letter', isJoined: true, isCapital: true },
  pair,
  ([, first, last]) => `${first} to ${last}`,
);

const separated = /-(?=\d)/y;

/** The hyphen of `COVID-19`, between a name and its number, and of `3.1-8B`. */
export const hyphens = patternClass({ begins: 'sign', signs: '-', behind: /[\p{L}\d]$/u }, separated, () => ' ');
