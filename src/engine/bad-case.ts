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

/** Seed of the n-th attempt, 0-based; stays a 32-bit number. */
export function attemptSeed(seed: number, attempt: number): number {
  return (seed + attempt) >>> 0;
}
