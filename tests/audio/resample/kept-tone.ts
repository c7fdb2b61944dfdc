import { differences } from '../differences.ts';
import { tone } from '../tone.ts';

/** From and to, in Hz. */
export const conversions: readonly (readonly [from: number, to: number])[] = [
  [48_000, 16_000],
  [44_100, 16_000],
  [22_050, 44_100],
  [8_000, 44_100],
  [11_025, 16_000],
  [44_101, 16_000],
];

/** Largest difference of a converted tone from a tone at the other rate, and its length in samples, as expected. */
export async function toneError(
  resample: (samples: Float32Array, from: number, to: number) => Promise<Float32Array>,
  from: number,
  to: number,
): Promise<{ readonly largest: number; readonly length: number; readonly expected: number }> {
  const length = Math.floor(from / 2);
  const converted = await resample(tone(440, length / from, from), from, to);
  const margin = Math.ceil(to / 50);
  const kept = tone(440, converted.length / to, to);
  const { largest } = differences(converted.subarray(margin, -margin), kept.subarray(margin, -margin));
  return { largest, length: converted.length, expected: Math.ceil((length * to) / from) };
}
