/**
 * Reads out what is written in digits and signs. The original does it with WeTextProcessing, of which there is no
 * port to this platform, nor is there another well-kept library for the whole task; so the words of numbers come from
 * a library, and where they stand in a text is decided by rules here. What no rule knows stays as it is.
 */
import { aroundMarkup } from '../markup.ts';
import { verbalizeChinese } from './chinese.ts';
import { verbalizeEnglish } from './english.ts';

const han = /\p{Script=Han}/u;
const withoutHan = /[^\p{Script=Han}。，！？；：、（）《》“”]+/gu;
/** Kana, Hangul, Cyrillic, Arabic and all others that are neither Latin nor Chinese. */
const otherScript =
  /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|(?![\p{Script=Latin}\p{Script=Han}\p{Script=Common}\p{Script=Inherited}\p{Script=Greek}])\p{L}/u;

/**
 * Numbers, dates, times, units, currencies and abbreviations of a paragraph as words: in a text with Chinese in
 * Chinese, but for phrases of English in it, else in English. A text in another script stays as it is; one in another
 * language of Latin letters can't be told from English. Tags and phonemes stay as they are.
 *
 * @example
 * verbalizeText('It cost $3.50 in 2026.') // 'It cost three dollars and fifty cents in twenty twenty-six.'
 * verbalizeText('长3.5公里。') // '长三点五公里。'
 */
export const verbalizeText = (text: string): string => aroundMarkup(text, verbalizeWords);

function verbalizeWords(text: string): string {
  if (otherScript.test(text)) return text;
  if (!han.test(text)) return verbalizeEnglish(text);
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
    done += verbalizeChinese(chinese) + verbalizeEnglish(stretch);
    chinese = '';
  }
  return done + verbalizeChinese(chinese + text.slice(end));
}

/** A phrase, in contrast to a name or a unit between Chinese words. */
const isEnglish = (stretch: string): boolean =>
  (stretch.match(/[A-Za-z']+/g) ?? []).length >= 3 ||
  (stretch.match(/(?<![A-Za-z])[a-z]{2,}(?![A-Za-z])/g) ?? []).length >= 2;
