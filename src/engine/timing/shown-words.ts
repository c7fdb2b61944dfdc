/**
 * Captions show words: tags of the model are left out, and the phonemes of a lexicon become the words that they replaced.
 * Other phonemes are left out too, as their word is unknown.
 */
import type { SpokenEntry } from '../lexicon/written-words.ts';
import { phonemes } from '../text/markup.ts';
import { modelTags } from '../text/model-tags.ts';
import { firstAbove } from './align-words.ts';
import type { TimedSentence, TimedWord } from './timed-text.ts';

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

/** The sentence with its written words where others were spoken, by their places in order; each is one word. */
export function withWritten(sentence: TimedSentence, found: readonly SpokenEntry[]): TimedSentence {
  const { text } = sentence;
  if (found.length === 0) return sentence;
  const written = (from: number, to: number): string => {
    let replaced = '';
    let at = from;
    for (let index = firstFrom(from); (found[index]?.end ?? Number.POSITIVE_INFINITY) <= to; index += 1) {
      const entry = found[index] as SpokenEntry;
      replaced += text.slice(at, entry.start) + entry.written;
      at = entry.end;
    }
    return replaced + text.slice(at, to);
  };
  const words: TimedWord[] = [];
  const starts = found.map(({ start }) => start);
  /** Index of the first entry that begins at or behind a place. */
  const firstFrom = (place: number): number => firstAbove(starts, place - 1);
  let from = 0;
  let to = 0;
  for (const word of sentence.words) {
    const at = text.indexOf(word.text, to);
    const next = firstFrom(at);
    const isInside = (found[next - 1]?.end ?? 0) > at;
    // An opening parenthesis before phonemes is a word of its own.
    const isOpened = at === to && !spoken.test(text.slice(from, to)) && found[next]?.start === at;
    const begun = isInside || isOpened ? words.pop() : undefined;
    if (begun === undefined) from = at;
    to = at + word.text.length;
    words.push({ ...word, text: written(from, to), start: begun?.start ?? word.start });
  }
  return { ...sentence, text: written(0, text.length), words };
}
