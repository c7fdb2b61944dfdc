/** Samples that were checked once: 90 seconds at 96 kHz take 40 ms, and each text of a batch has them. */
const known = new WeakSet<Float32Array>();

/** Spares samples the check: those of a decoder, which has made it, and that nobody changes. */
export const noteFinite = (samples: Float32Array): void => void known.add(samples);

/** A loop: calling a function for each of a million samples would take 20 ms. */
export function areFinite(values: Float32Array): boolean {
  if (known.has(values)) return true;
  let sum = 0;
  for (let index = 0; index < values.length; index += 1) sum += (values[index] as number) * 0;
  return sum === 0;
}
