/**
 * Replaces digits and symbols by words. The official code uses WeTextProcessing, which has no JavaScript port, and no
 * maintained library covers the whole task. So classes here find what isn't read as it is written, and languages say it
 * (docs/adr/0065-text-is-classified-then-spoken.md).
 */
import type { Steps, Wait } from '../../../event-loop.ts';
import { languageOfSentence } from '../language/detect-language.ts';
import {
  createLanguageReader,
  type FoundLanguage,
  type LanguageReader,
  type LanguageStretch,
} from '../language/language-reader.ts';
import { markupPattern } from '../markup.ts';
import { sentencesOf } from '../sentences.ts';
import { withSegments } from '../spoken-text.ts';
import { type SpokenSegment, tokenSegments } from './classify.ts';
import type { Language } from './language.ts';
import { isVerbalized, languageSteps } from './load-language.ts';

/**
 * Replaces numbers, dates, times, units, currencies and abbreviations of a text by words: in its language, and English
 * phrases between Chinese words in English. Tags and phonemes stay unchanged.
 *
 * @param language a BCP 47 tag; without it, the language of each paragraph is detected. Unknown languages are as without it.
 * @example
 * atOnce(verbalizeSteps('It cost $3.50 in 2026.')) // 'It cost three dollars and fifty cents in twenty twenty-six.'
 * atOnce(verbalizeSteps('长3.5公里。')) // '长三点五公里。'
 */
export function* verbalizeSteps(text: string, language?: string): Steps<string> {
  const isKnown = language !== undefined && isVerbalized(language);
  const reader = createLanguageReader(isKnown ? { stated: language } : { fallback: 'en' }, [text]);
  return (yield* withSegments(text, verbalizeSegmentSteps(text, reader))).text;
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

/** Segments of a text as they are spoken, with their languages: in the order of their places, with waits between them. */
export function* verbalizeSegmentSteps(
  written: string,
  reader: LanguageReader,
  stated?: string,
): Generator<SpokenSegment | LanguageStretch | Wait> {
  const text = written.replace(markupPattern, (mark) => '\ue000'.repeat(mark.length)).replace(otherDigits, asciiDigit);
  let start = 0;
  let last: string | undefined;
  for (const { index } of text.matchAll(/\n|$/g)) {
    yield;
    // A blank line is no paragraph.
    if (start > 0 && text.slice(start, index).trim() === '') {
      start = index;
      continue;
    }
    const found = reader.read(text.slice(start, index), stated);
    for (const stretch of stretchesOf(text, found, start, index)) {
      yield;
      if (stretch === undefined) continue;
      const { tag } = stretch.language;
      if (tag !== last || start === 0) yield { start, language: stretch.language };
      last = tag;
      const language = tag === undefined ? undefined : yield* languageSteps(tag);
      if (language !== undefined) yield* segmentsIn(language, text, start, stretch.end);
      start = stretch.end;
    }
  }
}

/** The stretches of a paragraph in one language each, and `undefined` after each sentence. */
function* stretchesOf(
  text: string,
  paragraph: FoundLanguage,
  start: number,
  end: number,
): Generator<{ readonly language: FoundLanguage; readonly end: number } | undefined> {
  let last = paragraph;
  const isSearched = paragraph.tag !== undefined && paragraph.by !== 'stated' && paragraph.tag !== 'zh';
  for (const sentence of isSearched ? sentencesOf(text.slice(start, end)) : []) {
    yield undefined;
    if (sentence.end - sentence.start === end - start) break;
    const tag = languageOfSentence(text.slice(start + sentence.start, start + sentence.end), paragraph.tag ?? '');
    if (tag === last.tag) continue;
    if (sentence.start > 0) yield { language: last, end: start + sentence.start };
    last = tag === paragraph.tag ? paragraph : { tag, by: 'text' };
  }
  yield { language: last, end };
}

const withoutHan = /[^\p{Script=Han}。，！？；：、（）《》“”]+/gu;

/** Tokens of a stretch: in its language, but for phrases of another language between its words. */
function* segmentsIn(language: Language, text: string, from: number, to: number): Generator<SpokenSegment | undefined> {
  const { phrases } = language;
  let start = from;
  for (const { index, 0: stretch } of phrases === undefined ? [] : text.slice(from, to).matchAll(withoutHan)) {
    if (phrases === undefined || !isPhrase(stretch)) continue;
    yield* tokenSegments(text, language, start, from + index);
    start = from + index + stretch.length;
    yield* tokenSegments(text, phrases, from + index, start);
  }
  yield* tokenSegments(text, language, start, to);
}

const measured = /\d ?[A-Za-z]{1,3}(?![A-Za-z])/g;
/** Whether it is a phrase, rather than a name or a unit between Chinese words. */
const isPhrase = (stretch: string): boolean => {
  const words = stretch
    .replace(measured, ' ')
    .split(/\s/u)
    .filter((word) => /^["'(]?[A-Za-z]['A-Za-z-]*[,.!?;:)"']{0,3}$/.test(word));
  return words.length >= 3 || words.filter((word) => /^[a-z]{2}/.test(word)).length >= 2;
};
