/** Times of day, with halves of the day, zones and ranges; durations such as `1h30`. */
import { digitsEnd } from '../follow.ts';
import type { Clock, Found, Place, SemioticClass } from '../language.ts';
import { type Cursor, cursorAt, foundAt, isBehind, isNext, take, tokenClass } from '../place.ts';

const withMinutes = /(\d{1,2})[:：]([0-5]\d)(?:[:：]([0-5]\d)(?:[.,]\d{1,3})?)?(?![\d:：])/y;
const withPoint = /(\d{1,2})\.([0-5]\d)(?!\d|[.,]\d)/y;
const hourAlone = /(\d{1,2})(?![\d.,:]\d|\d)/y;
const half = /[ \u00a0\u202f]?([AaPp])(?:\.[ ]?[Mm]\.?|[Mm]\.?)(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d])/uy;
const zone =
  /[ \u00a0]?((?:[ECMP][SD]?T|UTC|GMT|CES?T|BST|IST|JST|AES[DT]|KST|HKT|SGT|MSK|WES?T|EES?T|Z|utc|gmt|[ecmp]\.[sd]\.t)(?:[+-]\d{1,2}(?::?\d\d)?)?)(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d])/uy;
const rangeMark = /[ \u00a0]?[-–—~～〜][ \u00a0]?(?=\d)/y;

const clockOf = (...written: readonly (string | undefined)[]): Clock | undefined => {
  const [hour = 0, minute, second] = written.map((digits) => (digits === undefined ? undefined : Number(digits)));
  return hour > 24 ? undefined : { hour, minute, second };
};

/** AM or PM. The period of `a.m.` may be that of the sentence, and then stays. */
function readHalf(cursor: Cursor): 'AM' | 'PM' | undefined {
  const [written, letter = ''] = take(cursor, half) ?? [];
  if (written === undefined) return undefined;
  if (written.endsWith('.') && endsSentence(cursor)) cursor.at -= 1;
  return letter.toLowerCase() === 'a' ? 'AM' : 'PM';
}

/** Names that follow a time without ending its sentence. */
const follower =
  /\s+(?:Eastern|Pacific|Central|Mountain|Standard|Daylight|London|New York|(?:[ECMP][SD]?T|UTC|GMT|BST|CES?T)(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}])|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:January|February|March|April|May|June|July|August|September|October|November|December)(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}])|(?:Mr|Mrs|Ms|Dr|Prof)\.)/uy;
const sentenceEnd = /\s*$|\s+["'“‘(]?[\p{Lu}\p{Lo}]/uy;
const endsSentence = ({ text, at }: Cursor): boolean => isNext(text, at, sentenceEnd) && !isNext(text, at, follower);

type Form = 'minutes' | 'point' | 'hour';
/** Forms of a clock by what follows the hour. */
const clockForms = new Map<string | undefined, readonly [pattern: RegExp, form: Form]>([
  [':', [withMinutes, 'minutes']],
  ['：', [withMinutes, 'minutes']],
  ['.', [withPoint, 'point']],
]);

function readClock(cursor: Cursor): { readonly clock: Clock; readonly form: Form } | undefined {
  const { text, at: start } = cursor;
  const end = digitsEnd(text, start);
  const known = clockForms.get(text[end]);
  if (end - start > 2) return undefined;
  for (const [pattern, form] of [...(known === undefined ? [] : [known]), [hourAlone, 'hour'] as const]) {
    cursor.at = start;
    const [, hour = '', minute, second] = take(cursor, pattern) ?? [];
    const clock = hour === '' ? undefined : clockOf(hour, minute, second);
    const named = clock === undefined ? undefined : readHalf(cursor);
    // `13:10 pm`
    if (clock !== undefined && (named === undefined || clock.hour <= 12 || form === 'minutes'))
      return { clock: { ...clock, half: clock.hour > 12 ? undefined : named }, form };
  }
  cursor.at = start;
  return undefined;
}

const counted = /[ \u00a0]?(?:[%‰°\p{Sc}]|(?:[kcm]?[gml]|km\/h|kr|zł|TL|[A-Z]{3}|mi[ol]n?|mld|mrd)(?!\p{L}))/iuy;
/** `9.00–17.30` where decimals have a comma. */
const isPointed = ({ text, language }: Place, first: string, last: string, end: number): boolean =>
  language.decimalMark === ',' && first === 'point' && last === 'point' && !isNext(text, end, counted);

/** Most numbers are no time. */
const clockLike = /\d{1,2}(?:[:：.]\d|[ \u00a0\u202f]?[AaPp]|[ \u00a0]?[-–—~～〜])/y;

/** Letters that may follow a time without a space. */
const behindJoined =
  /[\p{scx=Han}\p{scx=Thai}\p{scx=Hangul}\p{scx=Hiragana}\p{scx=Khmer}\p{scx=Lao}\p{scx=Myanmar}]|h(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}])/uy;

export const times = tokenClass(
  {
    begins: 'digit',
    counts: (word) => /^[ap]/i.test(word),
    digitsBefore: ['colon', 'number', 'letter', 'word', 'hyphen', 'mark'],
  },
  (cursor, place) => {
    if (!isNext(place.text, place.start, clockLike)) return undefined;
    const { score, time } = place.language.cues;
    if (isBehind(place, score)) return undefined;
    const first = readClock(cursor);
    if (first === undefined) return undefined;
    const { clock, form } = first;
    const firstEnd = cursor.at;
    if ((form !== 'point' || place.language.decimalMark === ',') && take(cursor, rangeMark) !== undefined) {
      const last = readClock(cursor);
      const isRange =
        last !== undefined &&
        (last.clock.half !== undefined ||
          (form === 'minutes' && last.form !== 'point') ||
          isPointed(place, form, last.form, cursor.at)) &&
        !isNext(place.text, cursor.at, /[-–:.]\d|[\p{sc=Latn}\d]/uy);
      if (isRange) return { kind: 'time', first: clock, last: last.clock, zone: take(cursor, zone)?.[1] };
      cursor.at = firstEnd;
    }
    const isCued = form === 'point' && clock.half === undefined && isBehind(place, time);
    if (isCued) return { kind: 'time', first: clock };
    // `11.30 GMT`
    const mayHaveZone = form !== 'hour' || clock.half !== undefined;
    const [, named] = mayHaveZone ? (take(cursor, zone) ?? []) : [];
    if (named === undefined) {
      if (form !== 'minutes' && clock.half === undefined) return undefined;
      const isJoined = isNext(place.text, cursor.at, /[\p{L}\d]/uy);
      if (isJoined && !isNext(place.text, cursor.at, behindJoined)) return undefined;
    }
    return { kind: 'time', first: clock, zone: named };
  },
);

/** Numbers that there are, each with its unit. */
export const withUnits = <Value>(
  written: readonly (string | undefined)[],
  units: readonly string[],
  numberOf: (digits: string) => Value,
): readonly (readonly [Value, string])[] =>
  units.flatMap((unit, index) => (written[index] === undefined ? [] : [[numberOf(written[index]), unit] as const]));

const hours =
  /(\d{1,3})[ ]?(?:h|(?<=\d\d)H)(?:rs?|ours?)?\.?[ ]?(\d{1,2})(?:[ ]?(?:m(?:in)?|ph?)(?:[ ]?(\d{1,2})[ ]?s(?:ec)?)?)?(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d])/uy;
const minutes = /(\d{1,3})[ ]?(?:m(?:in)?|p(?=\d))[ ]?(\d{1,2})[ ]?s(?:ec)?(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d])/uy;

/** `1h30`, `2h 5m 10s`, `3m20s`. */
export const durations = tokenClass(
  { begins: 'digit', counts: (word) => /^[hmp]/i.test(word), digitsBefore: ['letter', 'word'] },
  (cursor) => {
    const long = take(cursor, hours);
    const short = long === undefined ? take(cursor, minutes) : undefined;
    const units = long === undefined ? ['minute', 'second'] : ['hour', 'minute', 'second'];
    const found = long ?? short;
    return found && { kind: 'duration', parts: withUnits(found.slice(1), units, (digits) => String(Number(digits))) };
  },
);

/** `14.30 Uhr` and `9 Uhr`: a time by the word behind it, which the spoken time has already. */
export const timesBefore = (word: RegExp): SemioticClass => ({
  begins: times.begins,
  find(place) {
    const found = times.find(place, cursorAt(place)) ?? timeBefore(word, place);
    if (found === undefined) return undefined;
    const cursor = { text: place.text, at: found.end };
    take(cursor, word);
    return { ...found, end: cursor.at };
  },
});

function timeBefore(word: RegExp, place: Place): Found | undefined {
  if (!place.isBorder) return undefined;
  const cursor = cursorAt(place);
  const [, hour = '', minute] = take(cursor, /(\d{1,2})(?:[.:]([0-5]\d))?(?!\d|[.,:]\d)/y) ?? [];
  const clock = clockOf(hour, minute);
  if (hour === '' || clock === undefined || !isNext(place.text, cursor.at, word)) return undefined;
  return foundAt(cursor, { kind: 'time', first: clock });
}
