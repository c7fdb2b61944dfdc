/** Sentences of one part with the times of their words. */
import { sentencesOf } from '../text/sentences.ts';
import { alignWords, type Reading } from './align-words.ts';
import { estimateWords, wordsOf } from './estimate-words.ts';
import { shownSentence } from './shown-words.ts';
import type { TimedSentence, TimedWord } from './timed-text.ts';

export interface PartAudio {
  /** Mono PCM in [-1, 1] of the part alone, as generated. */
  readonly samples: Float32Array;
  readonly sampleRate: number;
  /** When the first of these samples is heard, in seconds from the beginning of the audio. */
  readonly start: number;
  /** How many times as fast the samples are heard. */
  readonly rate: number;
  /** How the model read the text, if it says so. */
  readonly reading?: Reading | undefined;
}

/** @param text what was spoken */
export function timeSentences(
  text: string,
  { samples, sampleRate, start, rate, reading }: PartAudio,
): readonly TimedSentence[] {
  const estimated = estimateWords(text, samples, sampleRate);
  const aligned = reading && alignWords(estimated, samples, sampleRate, reading);
  const method = aligned === undefined ? 'estimated' : 'attention';
  const words = (aligned ?? estimated).map((word) => heardAt(word, start, rate));
  const sentences: TimedSentence[] = [];
  let first = 0;
  for (const { start: from, end } of sentencesOf(text)) {
    const sentence = text.slice(from, end).trim();
    const own = words.slice(first, first + wordsOf(sentence).length);
    first += own.length;
    const [opening] = own;
    const closing = own.at(-1);
    if (opening === undefined || closing === undefined) continue;
    sentences.push({ text: sentence, start: opening.start, end: closing.end, words: own, method });
  }
  return sentences.flatMap(shownSentence);
}

/** The same in audio whose speed is changed; a factor above 1 is faster. */
export const atSpeed = (sentences: readonly TimedSentence[], factor: number): readonly TimedSentence[] => {
  const scaled = <Word extends TimedWord>(word: Word): Word => ({
    ...word,
    start: millisecond(word.start / factor),
    end: millisecond(word.end / factor),
  });
  return sentences.map((sentence) => ({ ...scaled(sentence), words: sentence.words.map(scaled) }));
};

const millisecond = (seconds: number): number => Math.round(seconds * 1000) / 1000;

const heardAt = ({ text, start, end }: TimedWord, from: number, rate: number): TimedWord => ({
  text,
  start: millisecond(Math.max(0, from + start / rate)),
  end: millisecond(Math.max(0, from + end / rate)),
});
