/** Faults of an attempt at a part of a text, apart from its words. */
import type { ModelInfo } from './backend.ts';
import { withoutMarkup } from './text/markup.ts';
import { speechWeight } from './timing/syllables.ts';

/** From the mildest to the worst. `words`: a recognizer understood others. */
export const problems = ['words', 'clipped', 'short', 'long', 'silent'] as const;
export type Problem = (typeof problems)[number];

/**
 * Whether an attempt ran far too long: the model missed its stop and babbles. It is repeated with the next seed. As in
 * the official code, `patches` of model 1 includes the context patches of a prompt.
 *
 * @param ratio patches per token of the target text
 */
export const isBadCase = (patches: number, targetTokens: number, ratio: number): boolean =>
  patches >= targetTokens * ratio;

/**
 * Seconds per syllable, a quarter to a fifth of ordinary speech and half of the fastest that people understand: any
 * shorter, and words are missing.
 */
const shortestSyllableSeconds = 0.04;
/** Texts with fewer syllables may be a mumble. */
const fewestSyllables = 6;

/**
 * Whether the sound is far too short for the words of a text. Tags such as `[laughing]` and phonemes count for nothing,
 * so a text without other words is never too short.
 */
export function isTooShort(soundSeconds: number, text: string): boolean {
  const words = (withoutMarkup(text).match(/\S+/gu) ?? []).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const syllables = words.reduce((sum, word) => sum + speechWeight(word), 0);
  return syllables >= fewestSyllables && soundSeconds < syllables * shortestSyllableSeconds;
}

/**
 * -50 dBFS, absolute: the peak of the quietest speech is about 30 dB above it, decoded silence at least 10 dB below. A
 * threshold relative to the loudest sample would detect sound in any noise.
 */
const silentPeak = 10 ** (-50 / 20);

/** Leading silence after which an attempt is unlikely to recover. */
const maxSilentSeconds = 3;

/** The decoder ends in a tanh, so that too loud speech is flat just below 1. */
const fullScale = 0.999;
/** Single samples at full scale are inaudible. */
const maxClippedShare = 0.001;
const maxClippedSeconds = 0.005;

/** Listens to one attempt. NaN counts as silence. */
export function createSoundCheck({ outputSampleRate }: Pick<ModelInfo, 'outputSampleRate'>) {
  let count = 0;
  let first: number | undefined;
  let last = 0;
  let clipped = 0;
  let run = 0;
  let longestRun = 0;
  return {
    push(samples: Float32Array): void {
      for (const value of samples) {
        const level = Math.abs(value);
        if (level > silentPeak) {
          first ??= count;
          last = count;
        }
        const isFull = level >= fullScale;
        run = isFull ? run + 1 : 0;
        if (isFull) clipped += 1;
        longestRun = Math.max(longestRun, run);
        count += 1;
      }
    },
    isSilent: (): boolean => first === undefined,
    /** Silent for so long that the attempt should be given up. */
    isHopeless: (): boolean => first === undefined && count > maxSilentSeconds * outputSampleRate,
    soundSeconds: (): number => (first === undefined ? 0 : (last + 1 - first) / outputSampleRate),
    /** More than 0.1 % of the samples, or 5 ms at a stretch, are at full scale. */
    isClipped: (): boolean => clipped > maxClippedShare * count || longestRun > maxClippedSeconds * outputSampleRate,
  };
}

/** A warning about silent parts of a speech, given by 0-based numbers; undefined if there are none. */
export function silenceWarning(silent: readonly number[], parts: number): string | undefined {
  if (silent.length === 0) return undefined;
  return `${subjectOf(silent, parts)} silent; try another seed or another text`;
}

/** Names parts of a speech by 1-based numbers, with their verb: `parts 2, 5 of 9 of the speech are`. */
export function subjectOf(found: readonly number[], parts: number): string {
  if (found.length === parts) return 'the speech is';
  const shown = found.slice(0, shownParts).map((index) => index + 1);
  const more = found.length > shownParts ? ` and ${found.length - shownParts} more` : '';
  const [noun, verb] = found.length === 1 ? ['part', 'is'] : ['parts', 'are'];
  return `${noun} ${shown.join(', ')}${more} of ${parts} of the speech ${verb}`;
}

const shownParts = 5;

/** Seed of an attempt (0-based), wrapped to 32 bits. */
export const attemptSeed = (seed: number, attempt: number): number => (seed + attempt) >>> 0;
