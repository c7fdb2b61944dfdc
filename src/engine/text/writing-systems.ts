/**
 * Writing systems by what matters to speech: what has spaces between its words, and how much a character says. Every other
 * module takes its sets of scripts from here.
 */

/** Sources of character classes, for patterns with the flag u. */
const han = String.raw`\p{Script=Han}`;
/** With the mark of long vowels, which has no script of its own. */
const kana = String.raw`\p{Script=Hiragana}\p{Script=Katakana}\u30fc\uff70`;
export const hangul = String.raw`\p{Script=Hangul}`;

/** Han and kana: no spaces between words, and each character is about a syllable. */
export const ideographic = `${han}${kana}`;
/** Scripts of South-East Asia without spaces between words, whose words are found with a dictionary. */
export const southEastAsian = String.raw`\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
/** All scripts without spaces between words. */
export const unspaced = `${ideographic}${southEastAsian}`;
/** Characters that are wide on a screen and about a syllable each. */
export const syllabic = `${ideographic}${hangul}`;

const eastAsianCharacter = new RegExp(`[${syllabic}]`, 'u');
const ideographicCharacter = new RegExp(`[${ideographic}]`, 'u');
const unspacedCharacter = new RegExp(`[${unspaced}]`, 'u');

/** Whether it is a Han or kana character. */
export const isIdeographic = (character: string | undefined): boolean => ideographicCharacter.test(character ?? '');

/** Whether it is a character of Chinese, Japanese or Korean. */
export const isEastAsian = (character: string | undefined): boolean => eastAsianCharacter.test(character ?? '');

/** Whether words of its script follow each other without a space. */
export const isUnspaced = (character: string | undefined): boolean => unspacedCharacter.test(character ?? '');

/** A pattern for each syllabic character. */
export const eachSyllabic = new RegExp(`[${syllabic}]`, 'gu');
