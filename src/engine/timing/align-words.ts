/**
 * Word times from the attention of the language model. While it speaks a word, some of its heads look at the tokens of
 * this word; which heads differs between models, so they are found in each utterance: a head that follows the text
 * reads it from the beginning to the end, never goes back, and is never far from the estimate.
 */
import { type VoicedRun, type VoicedRuns, voicedRuns } from './estimate-words.ts';
import type { TimedWord, TimedWords } from './timed-text.ts';

/** A spoken text in the tokens of the model. */
export interface TokenizedText {
  readonly text: string;
  /** For each of its tokens, the index of the character at which it begins. */
  readonly tokenStarts: Int32Array;
}

export interface Reading extends TokenizedText {
  /** For each patch with audio, the token that each head looks at, interpolated; see `Step.attention`. */
  readonly patches: readonly Float32Array[];
}

/** Share of the patches in which a head advances, times the share of the text that it covers. */
const leastMonotony = 0.8;
/** How far a head may be from the estimate, in seconds, at the median; those that look at neighboring words are farther. */
const reachSeconds = 0.25;
/** A word that begins this shortly before a pause begins after it. */
const shortestWord = 0.08;

/**
 * @param estimated words of the text with estimated times
 * @param samples the audio of the part alone, mono PCM in [-1, 1]
 * @returns the same words with their times; undefined if no head follows the text
 */
export function alignWords(
  estimated: TimedWords,
  samples: Float32Array,
  sampleRate: number,
  { text, tokenStarts, patches }: Reading,
): TimedWords | undefined {
  const runs = voicedRuns(samples, sampleRate);
  const edges = wordEdges(estimated, text, tokenStarts);
  if (edges === undefined || runs.length === 0 || patches.length === 0) return undefined;
  const patchSeconds = samples.length / sampleRate / patches.length;
  const times = patches.map((_, index) => (index + 0.5) * patchSeconds);
  const wordTimes = [...estimated.map(({ start }) => start), estimated.at(-1)?.end ?? 0];
  const places = [...edges, tokenStarts.length - 0.5];
  const expected = times.map((time) => interpolate(time, wordTimes, places));
  const secondsPerToken = samples.length / sampleRate / tokenStarts.length;
  const isNear = (looks: readonly number[]): boolean =>
    Math.abs(median(looks.map((look, patch) => look - (expected[patch] as number)))) * secondsPerToken <= reachSeconds;
  const followers = columns(patches).filter(
    (looks) => monotony(looks, tokenStarts.length) >= leastMonotony && isNear(looks),
  );
  if (followers.length === 0) return undefined;
  const path = ascending(columns(followers).map(median));
  const starts = edges.map((edge) => (edge <= (path[0] as number) ? 0 : interpolate(edge, path, times)));
  return withPauses(estimated, starts, runs);
}

/** For each word, the place between its first token and the one before; undefined if a word is missing. */
function wordEdges(words: TimedWords, text: string, tokenStarts: Int32Array): readonly number[] | undefined {
  let from = 0;
  let token = 0;
  const edges: number[] = [];
  for (const word of words) {
    const at = text.indexOf(word.text, from);
    if (at === -1) return undefined;
    while (token + 1 < tokenStarts.length && (tokenStarts[token + 1] as number) <= at) token += 1;
    edges.push(token - 0.5);
    from = at + word.text.length;
  }
  return edges;
}

/** How much of a text of `tokens` tokens a head reads in order, from 0 to 1. */
export function monotony(looks: readonly number[], tokens: number): number {
  // patience sorting: `ends[n]` is the smallest end of an ascending subsequence of n + 1 looks
  const ends: number[] = [];
  for (const look of looks) ends[firstAbove(ends, look)] = look;
  const passed = ((ends.at(-1) ?? 0) - (ends[0] ?? 0)) / Math.max(1, tokens - 1);
  return (ends.length / looks.length) * Math.min(1, passed);
}

/** Index of the first of ascending values that is larger than `value`. */
export function firstAbove(values: readonly number[], value: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] as number) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The nearest ascending sequence in the sense of least squares: neighbors that go back share their mean. */
export function ascending(values: readonly number[]): readonly number[] {
  const blocks: { mean: number; count: number }[] = [];
  for (const value of values) {
    let block = { mean: value, count: 1 };
    for (let last = blocks.at(-1); last !== undefined && last.mean >= block.mean; last = blocks.at(-1)) {
      blocks.pop();
      const count = last.count + block.count;
      block = { mean: (last.mean * last.count + block.mean * block.count) / count, count };
    }
    blocks.push(block);
  }
  return blocks.flatMap(({ mean, count }) => Array.from({ length: count }, () => mean));
}

/** Begins words at the end of a pause, ends them where one begins, and keeps all within the sound. */
function withPauses(words: TimedWords, starts: readonly number[], runs: VoicedRuns): TimedWords {
  const [soundStart, soundEnd] = [(runs[0] as VoicedRun).start, (runs.at(-1) as VoicedRun).end];
  const timed: TimedWord[] = [];
  const pauseEnds = runs.slice(1).map(({ start }) => start);
  let next = soundEnd;
  for (let index = words.length - 1; index >= 0; index -= 1) {
    let start = Math.min(next, Math.max(soundStart, starts[index] as number));
    let end = next;
    for (let at = firstAbove(pauseEnds, start); at < pauseEnds.length; at += 1) {
      const [from, to] = [(runs[at] as VoicedRun).end, pauseEnds[at] as number];
      if (from >= next) break;
      if (start >= from - shortestWord && start < to && next > to) start = to;
      if (start < from && end > from && end <= to + shortestWord) end = from;
    }
    timed.push({ text: (words[index] as TimedWord).text, start, end });
    next = start;
  }
  return timed.reverse();
}

/** The value at `x` of a line through points with ascending `xs`, constant outside. */
function interpolate(x: number, xs: readonly number[], ys: readonly number[]): number {
  const above = firstAbove(xs, x);
  if (above === 0) return ys[0] as number;
  if (above === xs.length) return ys.at(-1) as number;
  const [x0, x1] = [xs[above - 1] as number, xs[above] as number];
  const [y0, y1] = [ys[above - 1] as number, ys[above] as number];
  return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0);
}

const columns = (rows: readonly ArrayLike<number>[]): readonly (readonly number[])[] =>
  Array.from({ length: rows[0]?.length ?? 0 }, (_, column) => rows.map((row) => row[column] as number));

function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
