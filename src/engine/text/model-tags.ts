/**
 * Notation that VoxCPM 2 reads beside words, as its documentation gives it: https://voxcpm.readthedocs.io/en/latest/cookbook.html
 * (tags) and usage_guide.html (phonemes), April 2026.
 */

/** Sounds without words; the documentation advises these spellings. */
export const modelTags = [
  'laughing',
  'sigh',
  'Uhm',
  'Shh',
  'Question-ah',
  'Question-ei',
  'Question-en',
  'Question-oh',
  'Surprise-wa',
  'Surprise-yo',
  'Dissatisfaction-hnn',
] as const;

const modelTag = new RegExp(String.raw`\[(?:${modelTags.join('|')})\]`, 'iu');

/** A warning about tags that models before VoxCPM 2 take for words; none for a text without any. */
export function tagsNeedModel2(text: string): readonly string[] {
  const [found] = modelTag.exec(text) ?? [];
  return found === undefined ? [] : [`only VoxCPM 2 has tags such as "${found}"; this model reads them as text`];
}

const pinyin = /^(?:x-|amazon-)?pinyin$/i;
const arpabet = /^(?:x-|amazon-)?(?:cmu|arpabet)$|^(?:x-)?sapi$/i;

/**
 * Phonemes in the model's notation: `{ni3}{hao3}` by syllable, `{HH AH0 L OW1}` by word.
 *
 * @param alphabet as SSML and PLS name it
 * @returns undefined for an alphabet that the model can't read, such as IPA
 */
export function modelPhonemes(alphabet: string, phonemes: string): string | undefined {
  const written = phonemes.trim().replace(/\s+/gu, ' ');
  if (written === '' || /[{}[\]]/.test(written)) return undefined;
  if (pinyin.test(alphabet)) return `{${written.replaceAll(' ', '}{')}}`;
  return arpabet.test(alphabet) ? `{${written}}` : undefined;
}
