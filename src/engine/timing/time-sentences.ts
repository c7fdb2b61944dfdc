import type { LexiconEntry } from '../lexicon/lexicon.ts';
import { findSpokenOf } from '../lexicon/written-words.ts';
import { sentencesOfSpoken, type WrittenStretch } from '../text/spoken-text.ts';
import { wordsOf } from '../text/words.ts';
import { alignWords, type Reading } from './align-words.ts';
import { estimateWords } from './estimate-words.ts';
import { shownSentence, withWritten } from './shown-words.ts';
import { millisecond, type TimedSentence, type TimedWord } from './timed-text.ts';

export interface PartAudio {
  /** Mono PCM in [-1, 1] of the part alone, as generated. */
  readonly samples: Float32Array;
  readonly sampleRate: number;
  /** When the first of these samples is played, in seconds from the beginning of the audio. */
  readonly start: number;
  /** How many times as fast the samples are played. */
  readonly rate: number;
  readonly reading?: Reading | undefined;
  /** Name of the voice that speaks it, where a script names one. */
  readonly voice?: string | undefined;
  /** Where the text was written otherwise than it is spoken. */
  readonly stretches?: readonly WrittenStretch[] | undefined;
}

/**
 * @param text what was spoken
 * @param lexicon with which it was made: where it gave phonemes, as where numbers were spelled out, the written words are shown
 */
export function timeSentences(
  text: string,
  { samples, sampleRate, start, rate, reading, voice, stretches = [] }: PartAudio,
  lexicon: readonly LexiconEntry[] = [],
): readonly TimedSentence[] {
  const estimated = estimateWords(text, samples, sampleRate);
  const aligned = reading && alignWords(estimated, samples, sampleRate, reading);
  const method = aligned === undefined ? 'estimated' : 'attention';
  const playedAt = (time: number): number => Math.max(0, start + time / rate);
  const spoken = aligned ?? estimated;
  const played = spoken.map((word) => ({ ...word, start: playedAt(word.start), end: playedAt(word.end) }));
  const words = lasting(played, start + samples.length / sampleRate / rate);
  const findPhonemes = findSpokenOf(lexicon);
  const named = voice === undefined ? {} : { voice };
  const sentences: TimedSentence[] = [];
  let first = 0;
  for (const { start: from, end } of sentencesOfSpoken({ text, stretches })) {
    const sentence = text.slice(from, end).trim();
    const own = words.slice(first, first + wordsOf(sentence).length);
    first += own.length;
    const [opening] = own;
    const closing = own.at(-1);
    if (opening === undefined || closing === undefined) continue;
    const { start } = opening;
    const timed: TimedSentence = { text: sentence, start, end: closing.end, words: own, method, ...named };
    const place = text.indexOf(sentence, from);
    const rewritten = [...findPhonemes(sentence), ...within(stretches, place, place + sentence.length)];
    const found = rewritten.sort((one, other) => one.start - other.start);
    sentences.push(...shownSentence(withWritten(timed, found)));
  }
  return sentences;
}

const within = (stretches: readonly WrittenStretch[], from: number, to: number): readonly WrittenStretch[] =>
  stretches
    .filter(({ start, end }) => start >= from && end <= to)
    .map(({ start, end, written }) => ({ start: start - from, end: end - from, written }));

/** Players need cues that end after they begin. */
const leastSeconds = 0.04;

/** Gives each word some time, within that of all words where there is enough, else until `partEnd`. */
function lasting(words: readonly TimedWord[], partEnd: number): readonly TimedWord[] {
  const from = words[0]?.start ?? 0;
  const last = Math.max(words.at(-1)?.end ?? 0, Math.min(partEnd, from + words.length * leastSeconds));
  const least = Math.min(leastSeconds, (last - from) / words.length);
  const timed: TimedWord[] = [];
  let earliest = from;
  for (const [index, { text, start, end }] of words.entries()) {
    const latest = last - (words.length - index - 1) * least;
    const begins = Math.min(Math.max(start, earliest), latest - least);
    earliest = Math.min(Math.max(end, begins + least), latest);
    timed.push({ text, start: millisecond(begins), end: millisecond(earliest) });
  }
  return timed;
}
