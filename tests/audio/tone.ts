/** A sine wave of amplitude 0.5. */
export const tone = (frequency: number, seconds: number, sampleRate: number): Float32Array =>
  Float32Array.from(
    { length: Math.round(seconds * sampleRate) },
    (_, index) => 0.5 * Math.sin((2 * Math.PI * frequency * index) / sampleRate),
  );

/** Frequency of a tone, from the zero crossings in its middle half. */
export function frequencyOf(samples: Float32Array, sampleRate: number): number {
  const crossings: number[] = [];
  for (let index = Math.floor(samples.length / 4); index < (samples.length * 3) / 4; index += 1) {
    const [before, after] = [samples[index - 1] as number, samples[index] as number];
    if (before < 0 && after >= 0) crossings.push(index - 1 + before / (before - after));
  }
  const [first = 0, last = 0] = [crossings[0], crossings.at(-1)];
  return ((crossings.length - 1) * sampleRate) / (last - first);
}

export const peakOf = (samples: Float32Array): number =>
  samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
