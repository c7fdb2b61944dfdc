/**
 * Replaces digits and symbols by words. The official code uses WeTextProcessing, which has no JavaScript port, and no
 * maintained library covers the whole task. So classes here find what isn't read as it is written, and languages say it
 * (docs/adr/0065-text-is-classified-then-spoken.md).
 */
import { atOnce, type Steps } from '../../../event-loop.ts';
import { markupPattern } from '../markup.ts';
import { sentencesOf } from '../sentences.ts';
import { withSegments } from '../spoken-text.ts';
import { type SpokenSegment, tokenSegments } from './classify.ts';
import { languageOf, languageOfSentence } from './detect-language.ts';
import type { Language } from './language.ts';
import { chinese } from './languages/chinese.ts';
import { english } from './languages/english/english.ts';
import { findLanguage } from './languages/find-language.ts';

export interface VerbalizeOptions {
  /** A BCP 47 tag; without it, each paragraph's language is detected. Unknown languages are as without it. */
  readonly language?: string | undefined;
}

/**
 * Replaces numbers, dates, times, units, currencies and abbreviations of a text by words: in its language, and English
 * phrases between Chinese words in English. Tags and phonemes stay unchanged.
 *
 * @example
 * verbalizeText('It cost $3.50 in 2026.') // 'It cost three dollars and fifty cents in twenty twenty-six.'
 * verbalizeText('长3.5公里。') // '长三点五公里。'
 */
export const verbalizeText = (text: string, options: VerbalizeOptions = {}): string =>
  atOnce(verbalizeSteps(text, options));

/** The same in steps. */
export function* verbalizeSteps(text: string, options: VerbalizeOptions = {}): Steps<string> {
  return (yield* withSegments(text, verbalizeSegmentSteps(text, options))).text;
}

/**
 * The stretches of a text that are spoken in other words than they are written, in their order: places in UTF-16 code units.
 *
 * @example verbalizeSegments('It cost $5.') // [{ start: 8, end: 10, spoken: 'five dollars' }]
 */
export function verbalizeSegments(text: string, options: VerbalizeOptions = {}): readonly SpokenSegment[] {
  return [...verbalizeSegmentSteps(text, options)].filter((segment) => segment !== undefined);
}

/** Digits of other scripts, one for one. */
const otherDigits = /(?![0-9])[\p{Nd}]/gu;
const asciiDigit = (digit: string): string => {
  if (digit.length > 1) return digit;
  const code = digit.charCodeAt(0);
  // Blocks of digits begin at their zero.
  let zero = code;
  while (zero > code - 9 && /\p{Nd}/u.test(String.fromCharCode(zero - 1))) zero -= 1;
  return String(Math.min(9, code - zero));
};

const withoutHan = /[^\p{Script=Han}。，！？；：、（）《》“”]+/gu;

/** The segments, and `undefined` where other work may go first. */
export function* verbalizeSegmentSteps(
  written: string,
  { language }: VerbalizeOptions = {},
): Generator<SpokenSegment | undefined> {
  const text = written.replace(markupPattern, (mark) => '\ue000'.repeat(mark.length)).replace(otherDigits, asciiDigit);
  const named = language === undefined ? undefined : findLanguage(language);
  if (named !== undefined) return yield* segmentsIn(named, text, 0, text.length);
  const whole = languageOf(text);
  let start = 0;
  for (const { index } of text.matchAll(/\n|$/g)) {
    yield;
    // A paragraph of numbers alone is in the language of the others.
    const tag = languageOf(text.slice(start, index)) ?? whole ?? 'en';
    for (const stretch of stretchesOf(text, tag, start, index)) {
      yield;
      if (stretch === undefined) continue;
      const found = findLanguage(stretch.language);
      if (found !== undefined) yield* segmentsIn(found, text, start, stretch.end);
      start = stretch.end;
    }
  }
}

/** The stretches of a paragraph in one language each, and `undefined` after each sentence. */
function* stretchesOf(
  text: string,
  paragraph: string,
  start: number,
  end: number,
): Generator<{ readonly language: string; readonly end: number } | undefined> {
  let last = paragraph;
  // Chinese has its English phrases.
  for (const sentence of paragraph === 'zh' ? [] : sentencesOf(text.slice(start, end))) {
    yield undefined;
    if (sentence.end - sentence.start === end - start) break;
    const language = languageOfSentence(text.slice(start + sentence.start, start + sentence.end), paragraph);
    if (language !== last && sentence.start > 0) yield { language: last, end: start + sentence.start };
    last = language;
  }
  yield { language: last, end };
}

function segmentsIn(language: Language, text: string, from: number, to: number): Generator<SpokenSegment | undefined> {
  return language === chinese ? mixedSegments(text, from, to) : tokenSegments(text, language, from, to);
}

/** Chinese, except in phrases of English. */
function* mixedSegments(text: string, from: number, to: number): Generator<SpokenSegment | undefined> {
  let start = from;
  for (const { index, 0: stretch } of text.slice(from, to).matchAll(withoutHan)) {
    if (!isPhrase(stretch)) continue;
    yield* tokenSegments(text, chinese, start, from + index);
    start = from + index + stretch.length;
    yield* tokenSegments(text, english, from + index, start);
  }
  yield* tokenSegments(text, chinese, start, to);
}

/** Whether it is a phrase, rather than a name or a unit between Chinese words. */
const isPhrase = (stretch: string): boolean => {
  const words = stretch.split(/\s/u).filter((word) => /^["'(]?[A-Za-z]['A-Za-z-]*[,.!?;:)"']{0,3}$/.test(word));
  return words.length >= 3 || words.filter((word) => /^[a-z]{2}/.test(word)).length >= 2;
};
