import type { ModelInfo } from './backend.ts';

/** Attempts at one utterance, the first included. `retry_badcase_max_times` of the official `VoxCPM.generate`. */
export const maxAttempts = 3;

/** Patches per token of the target text. `retry_badcase_ratio_threshold` of the official `VoxCPM.generate`. */
const ratioThreshold = 6.0;

/**
 * A model that misses its stop babbles on for many times the length of the text; such an attempt is made
 * again with the next seed. As in the official code, model 1 counts the context patches of a prompt in.
 */
export function isBadCase(patches: number, targetTokens: number): boolean {
  return patches >= targetTokens * ratioThreshold;
}

/**
 * -50 dBFS, absolute: the peak of the quietest speech lies some 30 dB above it, and what a decoder makes of silence 10 dB
 * and more below. A share of the loudest sample would find sound in any noise.
 */
const silentPeak = 10 ** (-50 / 20);

/** Silence at the beginning of an attempt after which none is expected to come to an end in time. */
const mostSilentSeconds = 3;

export interface SilenceCheck {
  /** The next samples of an attempt. */
  push(samples: Float32Array): void;
  /** Nothing can be heard so far. */
  isSilent(): boolean;
  /** Nothing can be heard, for so long that the attempt is given up. */
  isHopeless(): boolean;
}

/** Listens to one attempt. NaN is not sound. */
export function createSilenceCheck({ outputSampleRate }: Pick<ModelInfo, 'outputSampleRate'>): SilenceCheck {
  let count = 0;
  let isHeard = false;
  return {
    push(samples) {
      count += samples.length;
      isHeard ||= samples.some((value) => Math.abs(value) > silentPeak);
    },
    isSilent: () => !isHeard,
    isHopeless: () => !isHeard && count > mostSilentSeconds * outputSampleRate,
  };
}

/** One line about parts of a speech that stayed silent; 0-based numbers, none when all is well. */
export function silenceWarning(silent: readonly number[], parts: number): string | undefined {
  if (silent.length === 0) return undefined;
  const shown = silent.slice(0, shownParts).map((index) => index + 1);
  const more = silent.length > shownParts ? ` and ${silent.length - shownParts} more` : '';
  const what =
    silent.length === parts
      ? 'the speech is silent'
      : `${silent.length === 1 ? 'part' : 'parts'} ${shown.join(', ')}${more} of ${parts} of the speech ${silent.length === 1 ? 'is' : 'are'} silent`;
  return `${what}; try another seed or another text`;
}

const shownParts = 5;

/** Seed of the n-th attempt, 0-based; stays a 32-bit number. */
export function attemptSeed(seed: number, attempt: number): number {
  return (seed + attempt) >>> 0;
}
