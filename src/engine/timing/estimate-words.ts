/**
 * Word times from the sound alone: the voiced time of a part is shared by the syllables and letters of its words, and the
 * audible pauses are put where the punctuation is.
 */
import { wordsOf } from '../text/words.ts';
import { speechWeight } from './syllables.ts';
import type { TimedWord, TimedWords } from './timed-text.ts';

/** Frames of loudness, in seconds. */
const frameSeconds = 0.01;
/** Below this share of the loudest frame a frame is silent: -35 dB. */
const quietShare = 0.0178;
/** A shorter silence belongs to the sounds around it, such as that of a plosive. */
const shortestPause = 0.12;
/** The last word before a pause is drawn out. */
const finalLengthening = 1.3;
/** How far a pause may be from where the syllables put it, as a share of the voiced time, and in seconds at least. */
const reachShare = 0.15;
const reachSeconds = 0.35;

export interface VoicedRun {
  /** Seconds. */
  readonly start: number;
  readonly end: number;
}

export type VoicedRuns = readonly VoicedRun[];

/** Stretches with sound, pauses between them, of mono PCM in [-1, 1]. */
export function voicedRuns(samples: Float32Array, sampleRate: number): VoicedRuns {
  const frame = Math.max(1, Math.round(frameSeconds * sampleRate));
  const count = Math.ceil(samples.length / frame);
  const loudness = new Float32Array(count);
  for (let index = 0; index < count; index += 1) {
    let sum = 0;
    const end = Math.min(samples.length, (index + 1) * frame);
    for (let at = index * frame; at < end; at += 1) sum += (samples[at] as number) ** 2;
    loudness[index] = Math.sqrt(sum / frame);
  }
  const quiet = quietShare * loudness.reduce((most, value) => Math.max(most, value), 0);
  const runs: { start: number; end: number }[] = [];
  for (const [index, value] of loudness.entries()) {
    if (value <= quiet) continue;
    const [start, end] = [(index * frame) / sampleRate, Math.min(samples.length, (index + 1) * frame) / sampleRate];
    const last = runs.at(-1);
    if (last !== undefined && start - last.end < shortestPause) last.end = end;
    else runs.push({ start, end });
  }
  return runs;
}

const clauseEnd = /[.,;:!?…–—。，、；：！？）)"”»]$/u;

/**
 * Times of the words of one part.
 *
 * @param samples the audio of the part alone, mono PCM in [-1, 1]
 * @returns one entry a word, in order, without gaps inside a stretch of sound; times from the beginning of the part
 */
export function estimateWords(text: string, samples: Float32Array, sampleRate: number): TimedWords {
  const words = wordsOf(text);
  if (words.length === 0) return [];
  const runs = voicedRuns(samples, sampleRate);
  if (runs.length === 0) return words.map((word) => ({ text: word, start: 0, end: samples.length / sampleRate }));
  const weights = words.map(speechWeight);
  return spread(words, weights, splitRuns(words, weights, runs));
}

interface Stretch {
  readonly run: VoicedRun;
  /** Index behind its last word. */
  readonly wordEnd: number;
}

/**
 * Which words each run of sound holds. Every pause is matched with the end of a clause where one is near the place that the
 * syllables give; a pause without one is part of the sound.
 */
function splitRuns(words: readonly string[], weights: readonly number[], runs: VoicedRuns): readonly Stretch[] {
  const voiced = runs.reduce((sum, { start, end }) => sum + end - start, 0);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const reach = Math.max(reachSeconds, reachShare * voiced);
  const clauses = clauseEnds(words, weights);
  const stretches: Stretch[] = [];
  let open = runs[0] as VoicedRun;
  let elapsed = 0;
  /** Clauses before this one are spoken. */
  let first = 0;
  for (const [index, run] of runs.entries()) {
    elapsed += run.end - run.start;
    const next = runs[index + 1];
    if (next === undefined) break;
    const distance = (clause: number): number =>
      Math.abs(((clauses[clause]?.weight ?? Number.POSITIVE_INFINITY) / total) * voiced - elapsed);
    // Clauses farther on in the text are later, so the nearest one is the last whose successor is no nearer.
    while (distance(first + 1) < distance(first)) first += 1;
    const best = clauses[first];
    if (best === undefined || !(distance(first) < reach)) {
      open = { start: open.start, end: next.end };
      continue;
    }
    stretches.push({ run: { start: open.start, end: run.end }, wordEnd: best.wordEnd });
    [first, open] = [first + 1, next];
  }
  stretches.push({ run: { start: open.start, end: (runs.at(-1) as VoicedRun).end }, wordEnd: words.length });
  return stretches;
}

interface Clause {
  /** Index behind its last word. */
  readonly wordEnd: number;
  /** Weight of all words up to there. */
  readonly weight: number;
}

/** All but the last one. */
function clauseEnds(words: readonly string[], weights: readonly number[]): readonly Clause[] {
  const clauses: Clause[] = [];
  let weight = 0;
  for (let at = 0; at < words.length - 1; at += 1) {
    weight += weights[at] as number;
    if (clauseEnd.test(words[at] as string)) clauses.push({ wordEnd: at + 1, weight });
  }
  return clauses;
}

function spread(words: readonly string[], weights: readonly number[], stretches: readonly Stretch[]): TimedWords {
  const timed: TimedWord[] = [];
  let first = 0;
  for (const { run, wordEnd } of stretches) {
    const own = weights.slice(first, wordEnd);
    own.push((own.pop() ?? 0) * finalLengthening);
    const sum = own.reduce((all, weight) => all + weight, 0);
    let at = run.start;
    for (let index = first; index < wordEnd; index += 1) {
      const end = at + ((run.end - run.start) * (own[index - first] as number)) / sum;
      timed.push({ text: words[index] as string, start: at, end });
      at = end;
    }
    first = wordEnd;
  }
  return timed;
}
