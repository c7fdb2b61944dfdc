/** Captions show what is said: neither the tags of the model nor phonemes, which stand for a word that isn't known. */
import { modelTags } from '../text/model-tags.ts';
import type { TimedSentence } from './timed-text.ts';

const markup = new RegExp(String.raw`\[(?:${modelTags.join('|')})\]|\{[^{}]{1,80}\}`, 'giu');
const spoken = /[\p{L}\p{N}\p{Sc}%&@+=§°]/u;

const shown = (text: string): string =>
  text
    .replace(markup, '')
    .replace(/\s+/gu, ' ')
    .replace(/ (?=[,.;:!?，。；：、！？])/gu, '')
    .trim();

/** The sentence as a viewer reads it, with the times of the words that are left; nothing where none is left. */
export function shownSentence(sentence: TimedSentence): readonly TimedSentence[] {
  if (sentence.text.search(markup) === -1) return [sentence];
  const words = sentence.words
    .map((word) => ({ ...word, text: shown(word.text) }))
    .filter(({ text }) => spoken.test(text));
  const [first] = words;
  const last = words.at(-1);
  if (first === undefined || last === undefined) return [];
  return [{ ...sentence, text: shown(sentence.text), start: first.start, end: last.end, words }];
}
