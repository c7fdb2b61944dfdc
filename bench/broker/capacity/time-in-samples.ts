/** Hides a time in the first two samples of a patch, so that it survives the conversion to 16 bits. */

const fullScale = 32_768;
const unitsPerSecond = 10_000;
/** Times repeat after this many seconds. */
const mostSeconds = 30_000;

/** @param milliseconds since the epoch; kept to 0.1 ms */
export function writeTime(samples: Float32Array, milliseconds: number): void {
  const seconds = Math.floor(milliseconds / 1000);
  samples[0] = (seconds % mostSeconds) / fullScale;
  samples[1] = Math.floor(((milliseconds / 1000 - seconds) * unitsPerSecond) % unitsPerSecond) / fullScale;
}

/**
 * Milliseconds from the written time to `now`.
 *
 * @param first the first four bytes: two little-endian 16-bit samples
 */
export function readAge(first: Buffer, now: number): number {
  const written = first.readInt16LE(0) + first.readInt16LE(2) / unitsPerSecond;
  const age = ((now / 1000) % mostSeconds) - written;
  return 1000 * (age < -mostSeconds / 2 ? age + mostSeconds : age);
}
