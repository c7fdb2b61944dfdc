/** Captions show what is said: neither the tags of the model nor phonemes, which stand for a word that isn't known. */

import { phonemes } from '../text/markup.ts';
import { modelTags } from '../text/model-tags.ts';
import type { TimedSentence } from './timed-text.ts';

const tags = new RegExp(String.raw`\[(?:${modelTags.join('|')})\]`, 'giu');
const groups = new RegExp(phonemes, 'gu');
const spoken = /[\p{L}\p{N}\p{Sc}%&@+=§°]/u;

const shown = (text: string): string =>
  text
    .replace(tags, '')
    .replace(groups, '')
    .replace(/\s+/gu, ' ')
    .replace(/ (?=[,.;:!?，。；：、！？])/gu, '')
    .trim();

/** The sentence as a viewer reads it, with the times of the words that are left; nothing where none is left. */
export function shownSentence(sentence: TimedSentence): readonly TimedSentence[] {
  if (sentence.text.search(tags) === -1 && sentence.text.search(groups) === -1) return [sentence];
  const words = sentence.words
    .map((word) => ({ ...word, text: shown(word.text) }))
    .filter(({ text }) => spoken.test(text));
  const [first] = words;
  const last = words.at(-1);
  if (first === undefined || last === undefined) return [];
  return [{ ...sentence, text: shown(sentence.text), start: first.start, end: last.end, words }];
}
