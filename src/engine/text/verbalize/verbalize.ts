/**
 * Replaces digits and symbols by words. The official code uses WeTextProcessing, which has no JavaScript port, and no
 * maintained library covers the whole task. So number words come from a library, and rules here find expressions in a
 * text; everything else stays.
 */
import { atOnce, type Steps } from '../../../event-loop.ts';
import { aroundMarkup } from '../markup.ts';
import { verbalizeChinese } from './chinese.ts';
import { verbalizeEnglish } from './english.ts';

const han = /\p{Script=Han}/u;
const withoutHan = /[^\p{Script=Han}。，！？；：、（）《》“”]+/gu;
/** Letters of scripts other than Latin and Chinese. */
const otherScript =
  /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|(?![\p{Script=Latin}\p{Script=Han}\p{Script=Common}\p{Script=Inherited}\p{Script=Greek}])\p{L}/u;

/**
 * Replaces numbers, dates, times, units, currencies and abbreviations of a paragraph by words: Chinese in a text with
 * Chinese, except in its English phrases; otherwise English. Text in another script stays unchanged; other languages in
 * Latin script cannot be told from English. Tags and phonemes stay unchanged.
 *
 * @example
 * verbalizeText('It cost $3.50 in 2026.') // 'It cost three dollars and fifty cents in twenty twenty-six.'
 * verbalizeText('长3.5公里。') // '长三点五公里。'
 */
export const verbalizeText = (text: string): string => atOnce(verbalizeSteps(text));

/** The same in steps. */
export const verbalizeSteps = (text: string): Steps<string> => aroundMarkup(text, verbalizeWords);

function* verbalizeWords(text: string): Steps<string> {
  if (otherScript.test(text)) return text;
  if (!han.test(text)) return yield* verbalizeEnglish(text);
  let done = '';
  let chinese = '';
  let end = 0;
  for (const { index, 0: stretch } of text.matchAll(withoutHan)) {
    chinese += text.slice(end, index);
    end = index + stretch.length;
    if (!isEnglish(stretch)) {
      chinese += stretch;
      continue;
    }
    done += yield* verbalizeChinese(chinese);
    done += yield* verbalizeEnglish(stretch);
    chinese = '';
  }
  return done + (yield* verbalizeChinese(chinese + text.slice(end)));
}

/** Whether it is a phrase, rather than a name or a unit between Chinese words. */
const isEnglish = (stretch: string): boolean =>
  (stretch.match(/[A-Za-z']+/g) ?? []).length >= 3 ||
  (stretch.match(/(?<![A-Za-z])[a-z]{2,}(?![A-Za-z])/g) ?? []).length >= 2;
