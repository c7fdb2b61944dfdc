/** Stereo with one channel inverted: the mean of its channels is silence, so the first channel is taken instead. */

/** Energy of the mean relative to a channel: -40 dB. Ordinary stereo is far above. */
const mostLeft = 1e-4;

export function createPhaseCheck() {
  let firstEnergy = 0;
  let meanEnergy = 0;
  return {
    add(first: number, mean: number): void {
      firstEnergy += first * first;
      meanEnergy += mean * mean;
    },
    /** Whether the channels cancel each other so far; of silence, undefined. */
    isOpposite: (): boolean | undefined =>
      firstEnergy + meanEnergy === 0 ? undefined : meanEnergy < mostLeft * firstEnergy,
  };
}
