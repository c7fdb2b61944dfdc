import type { ModelInfo } from './backend.ts';

/**
 * Maximum attempts at one utterance, including the first: `retry_badcase_max_times` of the official `VoxCPM.generate`.
 */
export const maxAttempts = 3;

/** Patches per token of the target text: `retry_badcase_ratio_threshold` of the official `VoxCPM.generate`. */
const ratioThreshold = 6.0;

/**
 * Whether an attempt ran far too long: the model missed its stop and babbles. It is repeated with the next seed. As in
 * the official code, `patches` of model 1 includes the context patches of a prompt.
 */
export function isBadCase(patches: number, targetTokens: number): boolean {
  return patches >= targetTokens * ratioThreshold;
}

/**
 * -50 dBFS, absolute: the peak of the quietest speech is about 30 dB above it, decoded silence at least 10 dB below. A
 * threshold relative to the loudest sample would detect sound in any noise.
 */
const silentPeak = 10 ** (-50 / 20);

/** Leading silence after which an attempt is unlikely to recover. */
const maxSilentSeconds = 3;

export interface SilenceCheck {
  /** Adds the next samples of an attempt. */
  push(samples: Float32Array): void;
  /** No sound so far. */
  isSilent(): boolean;
  /** Silent for so long that the attempt should be given up. */
  isHopeless(): boolean;
}

/** Detects silence in one attempt. NaN counts as silence. */
export function createSilenceCheck({ outputSampleRate }: Pick<ModelInfo, 'outputSampleRate'>): SilenceCheck {
  let count = 0;
  let isHeard = false;
  return {
    push(samples) {
      count += samples.length;
      isHeard ||= samples.some((value) => Math.abs(value) > silentPeak);
    },
    isSilent: () => !isHeard,
    isHopeless: () => !isHeard && count > maxSilentSeconds * outputSampleRate,
  };
}

/** A warning about silent parts of a speech, given by 0-based numbers; undefined if there are none. */
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

/** Seed of an attempt (0-based), wrapped to 32 bits. */
export function attemptSeed(seed: number, attempt: number): number {
  return (seed + attempt) >>> 0;
}
