/**
 * Finds the tokens of a text that aren't read as they are written, and says them: at each border, the class that matches most
 * wins, and among those the first. No class sees what another has made of the text.
 */
import { unspaced } from '../writing-systems.ts';
import type { Found, Language, Place, SemioticClass } from './language.ts';
import { isNext, reachBefore } from './place.ts';

/** A stretch of the text as written, and how it is spoken. */
export interface SpokenSegment {
  readonly start: number;
  readonly end: number;
  readonly spoken: string;
}

/** Where a token may begin: at a word, a digit or a sign. */
const token = new RegExp(
  String.raw`((?:(?![${unspaced}])[\p{L}\p{M}])+)|(\p{Nd})|[${unspaced}]+|[^\s\p{L}\p{M}\p{Nd},;!?()[\]{}"'“”’。，！？；：、（）《》\ue000]|!(?==)|[('’](?=\d)|(?<=[\d%C])['’](?=\p{Ll})`,
  'gu',
);
/** Letters of scripts with spaces between words, which a token is not part of. */
const joins = /[\p{L}\p{M}\p{N}_]$/u;
/** Arabic and Hebrew words of one letter that are written with the next. */
const prefixed = /(?<!\p{L})(?:[وبلفك]|[ובלמהשכ])-?$/u;
const endsUnspaced = new RegExp(`[${unspaced}]$`, 'u');
const spacedWord = /^(?![⁰¹²³⁴-⁹])[\p{L}\p{N}]/u;

const tokensPerStep = 50;

/** Words in lower case that no class begins with: neither short ones, nor months and small numerals. */
const ordinary = /^(?![ivxl]{5,}$)\p{Ll}{5,}$/u;
const behindOrdinary = /[\s,;!?)"]|$/y;

const byBeginning = new WeakMap<Language, Readonly<Record<'digit' | 'letter' | 'sign', readonly SemioticClass[]>>>();
function classesOf(language: Language): Readonly<Record<'digit' | 'letter' | 'sign', readonly SemioticClass[]>> {
  const known = byBeginning.get(language);
  if (known !== undefined) return known;
  const of = (beginning: 'digit' | 'letter' | 'sign') =>
    language.classes.filter(({ begins }) => begins.includes(beginning));
  const classes = { digit: of('digit'), letter: of('letter'), sign: of('sign') };
  byBeginning.set(language, classes);
  return classes;
}

/** Tokens of a language whose classes are looked at in a step each: their patterns are compiled then, which takes long. */
const coldTokens = 40;
const looked = new WeakMap<Language, number>();

/** The class that matches most, the first among those, with other work between classes of a language that is new. */
function* longest(classes: readonly SemioticClass[], place: Place): Generator<undefined, Found | undefined, undefined> {
  const count = looked.get(place.language) ?? 0;
  if (count < coldTokens) looked.set(place.language, count + 1);
  let best: Found | undefined;
  for (const { find } of classes) {
    const found = find(place);
    if (found !== undefined && found.end > place.start && (best === undefined || found.end > best.end)) best = found;
    if (count < coldTokens) yield;
  }
  return best;
}

const say = (found: Found, place: Place): string | undefined => {
  const { meaning } = found;
  const saying = place.language.say[meaning.kind] as (
    meaning: Found['meaning'],
    place: Place,
    end: number,
  ) => string | undefined;
  return saying(meaning, place, found.end);
};

/** Spaces between the words of a token and those that it touches. */
function separated(spoken: string, { text, start, language }: Place, end: number, isAdjacent: boolean): string {
  const { spacing } = language;
  if (spacing === 'none' || spoken === '') return spoken;
  const [previous, next] = [text.slice(Math.max(0, start - 2), start), text.slice(end, end + 1)];
  const isGlued =
    !isAdjacent &&
    spacing !== 'behind' &&
    joins.test(previous) &&
    !endsUnspaced.test(previous) &&
    spacedWord.test(spoken);
  // An operator stands before the next number.
  const isGluedBehind = spacing !== 'before' && spacedWord.test(next) && !endsUnspaced.test(next) && joins.test(spoken);
  return (isGlued ? ' ' : '') + spoken + (isGluedBehind ? ' ' : '');
}

/** The tokens between two places of a text, in their order. */
export function* tokenSegments(
  text: string,
  language: Language,
  from = 0,
  to = text.length,
): Generator<SpokenSegment | undefined> {
  const classes = classesOf(language);
  const run = { end: -1, isWords: false };
  // A search that finds nothing must not go on behind the end, for each paragraph anew.
  const searched = text.slice(0, to);
  let count = 0;
  let at = from;
  let lastEnd = -1;
  while (at < to) {
    // The pattern is shared by texts in turns.
    token.lastIndex = at;
    const match = token.exec(searched);
    if (match === null) return;
    const start = match.index;
    at = start + match[0].length;
    const beginning = match[1] !== undefined ? 'letter' : match[2] !== undefined ? 'digit' : 'sign';
    if (
      match[1] !== undefined &&
      isNext(text, at, behindOrdinary) &&
      ordinary.test(match[1]) &&
      !language.months.has(match[1])
    )
      continue;
    if (match[1] === undefined && match[2] === undefined && endsUnspaced.test(match[0])) continue;
    count += 1;
    if (count % tokensPerStep === 0) yield undefined;
    const before = text.slice(Math.max(from, start - reachBefore), start);
    const isBorder =
      (start === lastEnd && beginning !== 'sign') ||
      !joins.test(before) ||
      endsUnspaced.test(before) ||
      (beginning === 'digit' && prefixed.test(before));
    const place: Place = { text, start, language, before, isBorder, run };
    const found = yield* longest(classes[beginning], place);
    if (found === undefined || found.end > to) continue;
    const spoken = say(found, place);
    if (spoken === undefined) {
      // What the language has no words for stays as it is written.
      at = found.end;
      continue;
    }
    const isAdjacent = start === lastEnd;
    at = found.end;
    lastEnd = at;
    yield {
      start,
      end: found.end,
      spoken: separated(spoken, place, found.end, isAdjacent),
    };
  }
}
