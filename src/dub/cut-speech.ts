/** Cuts the speech of several captions where each begins, and silence off its ends. */
import type { TimedSentence, TimedWord } from '../engine/timing/timed-text.ts';

/** Silence that stays before and after words, in seconds. */
const before = 0.01;
const after = 0.06;
/** Quieter than the loudest 10 ms by so much is silence. */
const quiet = 10 ** (-38 / 20);
const blockSeconds = 0.01;
/** Around the place between two words where the speech is cut, in seconds. */
const reach = 0.08;

function levelsOf(samples: Float32Array, sampleRate: number) {
  const block = Math.max(1, Math.round(blockSeconds * sampleRate));
  const levels = new Float64Array(Math.ceil(samples.length / block));
  for (let index = 0; index < levels.length; index += 1) {
    const piece = samples.subarray(index * block, (index + 1) * block);
    levels[index] = Math.sqrt(piece.reduce((sum, value) => sum + value * value, 0) / piece.length);
  }
  return { levels, block };
}

/** Without the silence at both ends; empty if there is no sound. */
function trimSpeech(samples: Float32Array, sampleRate: number): Float32Array {
  const { levels, block } = levelsOf(samples, sampleRate);
  const threshold = Math.max(1e-5, levels.reduce((most, level) => Math.max(most, level), 0) * quiet);
  const first = levels.findIndex((level) => level > threshold);
  if (first === -1) return new Float32Array(0);
  const last = levels.findLastIndex((level) => level > threshold);
  const from = Math.max(0, first * block - Math.round(before * sampleRate));
  return samples.slice(from, Math.min(samples.length, (last + 1) * block + Math.round(after * sampleRate)));
}

/**
 * @param texts of the captions, which together are the text that was spoken
 * @returns the speech of each; undefined if its words are not those of the captions
 */
export function cutSpeech(
  samples: Float32Array,
  sampleRate: number,
  texts: readonly string[],
  sentences: readonly TimedSentence[],
): readonly Float32Array[] | undefined {
  if (texts.length === 1) return [trimSpeech(samples, sampleRate)];
  const words = sentences.flatMap((sentence) => sentence.words);
  const cuts = boundariesOf(texts, words);
  if (cuts === undefined) return undefined;
  const { levels, block } = levelsOf(samples, sampleRate);
  const places = cuts.map(([one, other]) => {
    const from = Math.floor(((one.end - reach) * sampleRate) / block);
    const to = Math.ceil(((other.start + reach) * sampleRate) / block);
    let best = Math.max(0, Math.round((other.start * sampleRate) / block));
    for (let index = Math.max(0, from); index < Math.min(levels.length, to); index += 1)
      if ((levels[index] as number) < (levels[best] ?? Number.POSITIVE_INFINITY)) best = index;
    return best * block;
  });
  const ends = [0, ...places, samples.length];
  if (ends.some((place, index) => index > 0 && place <= (ends[index - 1] as number))) return undefined;
  return texts.map((_, index) => trimSpeech(samples.subarray(ends[index], ends[index + 1]), sampleRate));
}

const lettersOf = (text: string): number => text.replace(/[^\p{L}\p{N}]/gu, '').length;

/** The last word of each caption but the last, and the first of the next. */
function boundariesOf(texts: readonly string[], words: readonly TimedWord[]) {
  const cuts: (readonly [TimedWord, TimedWord])[] = [];
  let at = 0;
  for (const text of texts.slice(0, -1)) {
    let missing = lettersOf(text);
    while (missing > 0 && at < words.length) {
      missing -= lettersOf((words[at] as TimedWord).text);
      at += 1;
    }
    const [one, other] = [words[at - 1], words[at]];
    if (missing !== 0 || one === undefined || other === undefined) return undefined;
    cuts.push([one, other]);
  }
  return cuts;
}
