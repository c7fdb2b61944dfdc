/**
 * Stereo with one channel inverted, as a cable with swapped wires makes it: the mean of its channels is silence, so the first
 * channel is taken instead.
 */

/** Energy of the mean relative to a channel: -40 dB. Ordinary stereo is far above. */
const mostLeft = 1e-4;

export interface PhaseCheck {
  add(first: number, mean: number): void;
  /** Whether the channels cancel each other so far; of silence, undefined. */
  isOpposite(): boolean | undefined;
}

export function createPhaseCheck(): PhaseCheck {
  let firstEnergy = 0;
  let meanEnergy = 0;
  return {
    add(first, mean) {
      firstEnergy += first * first;
      meanEnergy += mean * mean;
    },
    isOpposite: () => (firstEnergy + meanEnergy === 0 ? undefined : meanEnergy < mostLeft * firstEnergy),
  };
}
