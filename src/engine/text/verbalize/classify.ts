/**
 * Finds the tokens of a text that aren't read as they are written, and says them: at each border, the class that matches most
 * wins, and among those the first. No class sees what another has made of the text.
 */
import { pattern } from '../pattern.ts';
import type { Span } from '../span.ts';
import { unspaced } from '../writing-systems.ts';
import { digitsEnd, followOf } from './follow.ts';
import type { Beginning, Found, Language, Place, SemioticClass } from './language.ts';
import { readNumeral } from './numerals.ts';
import { cursorAt, isNext, reachBefore, take } from './place.ts';

/** A stretch of the text as written, and how it is spoken. */
export interface SpokenSegment extends Span {
  readonly spoken: string;
}

/** Where a token may begin: at a word, a digit or a sign. */
const token = pattern(
  'gu',
)`((?:(?![${unspaced}])[\p{L}\p{M}])+)|(\p{Nd})|[${unspaced}]+|[^\s\p{L}\p{M}\p{Nd},;!?()[\]{}"'“”’。，！？；：、（）《》\ue000]|!(?==)|[('’](?=\d)|[(（](?=[月火水木金土日월화수목금토일][)）])|(?<=[\d%C]|\d ?\p{Ll}{1,2})['’](?=\p{Ll})`;
/** Letters of scripts with spaces between words, which a token is not part of. */
const joins = /[\p{L}\p{M}\p{N}_]$/u;
/** Arabic and Hebrew words of one letter that are written with the next. */
const prefixed = /(?<!\p{L})(?:[وبلفك]|[ובלמהשכ])-?$/u;
const endsUnspaced = new RegExp(`[${unspaced}]$`, 'u');
const spacedWord = /^(?![⁰¹²³⁴-⁹])[\p{L}\p{N}]/u;

const tokensPerStep = 50;

/** Words in lower case that no class begins with, before these: neither short ones, nor months and small numerals. */
const ordinary = /^(?![ivxl]{5,}$)\p{Ll}{5,}$/u;
const behindOrdinary = /[\s,;!?)"]|$/y;

/** Most beginnings of tokens whose classes are kept. */
const mostKept = 5000;
const kept = new WeakMap<Language, Map<string, readonly SemioticClass[]>>();

/** The classes of a language that may match at what has this key. */
function keep(language: Language, key: string, mayMatch: (one: SemioticClass) => boolean): readonly SemioticClass[] {
  const all = kept.get(language) ?? new Map<string, readonly SemioticClass[]>();
  const known = all.get(key);
  if (known !== undefined) return known;
  const classes = language.classes.filter(mayMatch);
  if (all.size >= mostKept) all.clear();
  all.set(key, classes);
  kept.set(language, all);
  return classes;
}

const wordBehind = /[ \u00a0\u202f]([A-Za-z]{1,12})(?![\p{L}\p{M}\p{Sc}])/uy;

/** @param word that the token begins with, if it does with letters */
function classesAt(beginning: Beginning, word: string, { text, start, language }: Place): readonly SemioticClass[] {
  if (beginning === 'sign') {
    const sign = String.fromCodePoint(text.codePointAt(start) ?? 0);
    return keep(language, sign, ({ begins, signs }) => begins.includes('sign') && signs?.includes(sign) !== false);
  }
  if (beginning === 'letter') {
    const isApart = isNext(text, start + word.length, behindOrdinary);
    return keep(
      language,
      `${word} ${isApart}`,
      ({ begins, isJoined, isCapital, beginsWith }) =>
        begins.includes('letter') &&
        !(isApart && isJoined) &&
        !(isCapital && /^[a-z]/.test(word)) &&
        beginsWith?.(word, language) !== false,
    );
  }
  const end = digitsEnd(text, start);
  const follow = followOf(text, end);
  const cursor = { text, at: end };
  if (follow === 'number' || follow === 'group') {
    cursor.at = start;
    readNumeral(cursor, language);
  }
  const behind = cursor.at === end ? follow : followOf(text, cursor.at);
  const counted = behind === 'word' ? take(cursor, wordBehind)?.[1] : undefined;
  return keep(
    language,
    `${follow} ${behind} ${counted ?? ''}`,
    ({ begins, digitsBefore, numberBefore, counts }) =>
      begins.includes('digit') &&
      digitsBefore?.includes(follow) !== false &&
      numberBefore?.includes(behind) !== false &&
      // A class that takes numbers of another form is asked about these.
      (counted === undefined ||
        (digitsBefore !== undefined && follow !== 'word') ||
        counts?.(counted, language) !== false),
  );
}

/** Tokens of a language whose classes are looked at in a step each: their patterns are compiled then, which takes long. */
const coldTokens = 40;
const looked = new WeakMap<Language, number>();

/** The class that matches most, the first among those. */
function longest(classes: readonly SemioticClass[], place: Place): Found | undefined {
  let best: Found | undefined;
  for (const { find } of classes) {
    const found = find(place, cursorAt(place));
    if (found !== undefined && found.end > (best?.end ?? place.start)) best = found;
  }
  return best;
}

/** Looks at the classes of a language that is new, with other work between them. */
function* warm(classes: readonly SemioticClass[], place: Place): Generator<undefined> {
  looked.set(place.language, (looked.get(place.language) ?? 0) + 1);
  for (const { find } of classes) {
    find(place, cursorAt(place));
    yield;
  }
}

type Saying = (meaning: Found['meaning'], place: Place, end: number) => string | undefined;
const say = ({ meaning, end }: Found, place: Place): string | undefined =>
  (place.language.say[meaning.kind] as Saying)(meaning, place, end);

const isSpace = (code: number): boolean => code === 32 || code === 10 || Number.isNaN(code);
/** Whether a space, the end or a mark of ASCII follows a token. */
const isApart = (code: number): boolean => isSpace(code) || code === 44 || code === 46;

/** Spaces between the words of a token and those that it touches. */
function separated(spoken: string, { text, start, language }: Place, end: number, isAdjacent: boolean): string {
  const { spacing } = language;
  if (spacing === 'none' || spoken === '') return spoken;
  if (isSpace(text.charCodeAt(start - 1)) && isApart(text.charCodeAt(end))) return spoken;
  const [previous, next] = [text.slice(Math.max(0, start - 2), start), text.slice(end, end + 1)];
  const isGlued =
    !isAdjacent &&
    spacing !== 'behind' &&
    joins.test(previous) &&
    !endsUnspaced.test(previous) &&
    spacedWord.test(spoken);
  // An operator comes before the next number.
  const isGluedBehind =
    spacing !== 'before' && spacedWord.test(next) && !endsUnspaced.test(next) && joins.test(spoken.slice(-2));
  return (isGlued ? ' ' : '') + spoken + (isGluedBehind ? ' ' : '');
}

/** The tokens between two places of a text, in their order. */
export function* tokenSegments(
  text: string,
  language: Language,
  from = 0,
  to = text.length,
): Generator<SpokenSegment | undefined> {
  const run = { end: -1, isWords: false };
  // A search that finds nothing must not continue behind the end, for each paragraph anew.
  const searched = text.slice(0, to);
  let count = 0;
  let at = from;
  let lastEnd = -1;
  while (at < to) {
    // The pattern is shared by texts in turns.
    token.lastIndex = at;
    const match = token.exec(searched);
    if (match === null) return;
    const { index: start, 0: written, 1: word = '', 2: digit } = match;
    at = start + written.length;
    if (word.length > 4 && isNext(text, at, behindOrdinary) && ordinary.test(word) && !language.months.has(word))
      continue;
    const beginning = word !== '' ? 'letter' : digit !== undefined ? 'digit' : 'sign';
    if (beginning === 'sign' && endsUnspaced.test(written)) continue;
    count += 1;
    if (count % tokensPerStep === 0) yield undefined;
    const before = text.slice(Math.max(from, start - reachBefore), start);
    const near = before.slice(-2);
    const isBorder =
      (start === lastEnd && beginning !== 'sign') ||
      isSpace(near.charCodeAt(near.length - 1)) ||
      !joins.test(near) ||
      endsUnspaced.test(near) ||
      (beginning === 'digit' && prefixed.test(before.slice(-4)));
    const place: Place = { text, start, language, before, isBorder, run };
    const classes = classesAt(beginning, word, place);
    if ((looked.get(language) ?? 0) < coldTokens) yield* warm(classes, place);
    const found = longest(classes, place);
    if (found === undefined || found.end > to) continue;
    const spoken = say(found, place);
    if (spoken === undefined) {
      // Text for which the language has no words stays as it is written.
      at = found.end;
      continue;
    }
    const isAdjacent = start === lastEnd;
    at = found.end;
    lastEnd = at;
    yield { start, end: at, spoken: separated(spoken, place, at, isAdjacent) };
  }
}
