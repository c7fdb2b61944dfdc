/**
 * Gaussian noise from a seed: the same numbers on every platform, JavaScript engine and backend.
 *
 * Bits come from xoshiro128** (Blackman and Vigna, 2018), seeded by splitmix64 as its authors recommend; normal
 * deviates from Marsaglia's polar method (1964) in float64, rounded to float32. Only operations defined exactly by IEEE
 * 754 are used: JavaScript does not define `Math.log` and `Math.sin` to the last bit, so the logarithm is computed
 * here.
 *
 * The official code draws with `torch.randn` in the model's data type on the model's device. Its seeds are not portable
 * between them, so they are not reproduced; recorded noise replays an official run.
 */
import { SvcError } from '../errors.ts';

export interface NoiseSource {
  /** Returns the next standard normal values. The sequence does not depend on the lengths of the calls. */
  next(length: number): Float32Array;
}

/** @throws SvcError INVALID_REQUEST unless `seed` is an integer from 0 to 2^53 - 1. */
export function seededNoise(seed: number): NoiseSource {
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new SvcError('INVALID_REQUEST', `seed must be an integer from 0 to 2^53 - 1, got ${seed}`);
  }
  const normal = normalDeviates(xoshiro128(seed));
  return { next: (length) => Float32Array.from({ length }, normal) };
}

/** A fresh 32-bit seed from the system's entropy. */
export const randomSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0] as number;

/**
 * Replays recorded noise: one frame per call, in the layout of a patch.
 *
 * @throws SvcError INVALID_REQUEST from `next` if no frame is left or its length differs
 */
export function recordedNoise(frames: readonly Float32Array[]): NoiseSource {
  let drawn = 0;
  return {
    next(length) {
      const frame = frames[drawn];
      if (frame?.length !== length) {
        const problem =
          frame === undefined
            ? `recorded noise ends after ${frames.length} frames`
            : `frame ${drawn} of recorded noise must have ${length} values, got ${frame.length}`;
        throw new SvcError('INVALID_REQUEST', problem);
      }
      drawn += 1;
      return frame;
    },
  };
}

const mask64 = (1n << 64n) - 1n;

/** splitmix64: one 64-bit value per call, as two 32-bit halves, low half first. */
function splitMix64(seed: number): () => [number, number] {
  let state = BigInt(seed);
  return () => {
    state = (state + 0x9e3779b97f4a7c15n) & mask64;
    let mixed = state;
    mixed = ((mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n) & mask64;
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & mask64;
    mixed ^= mixed >> 31n;
    return [Number(mixed & 0xffffffffn), Number(mixed >> 32n)];
  };
}

const rotateLeft = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

/** xoshiro128**: one unsigned 32-bit integer per call. */
function xoshiro128(seed: number): () => number {
  const fill = splitMix64(seed);
  let [a, b] = fill();
  let [c, d] = fill();
  return () => {
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return result;
  };
}

/** Standard normal deviates, generated in pairs. */
function normalDeviates(bits: () => number): () => number {
  // Midpoints of 2^32 equal parts of (-1, 1): symmetric and never 0.
  const uniform = (): number => (bits() + 0.5) * 2 ** -31 - 1;
  let spare: number | undefined;
  return () => {
    if (spare !== undefined) {
      const deviate = spare;
      spare = undefined;
      return deviate;
    }
    for (;;) {
      const x = uniform();
      const y = uniform();
      const square = x * x + y * y;
      if (square < 1) {
        const scale = Math.sqrt((-2 * naturalLogarithm(square)) / square);
        spare = y * scale;
        return x * scale;
      }
    }
  };
}

/** ln(value) for 0 < value < 1, to about 1e-15: ln(m·2^-e) = 2·artanh((m-1)/(m+1)) - e·ln 2. */
function naturalLogarithm(value: number): number {
  let mantissa = value;
  let exponent = 0;
  while (mantissa < Math.SQRT1_2) {
    mantissa *= 2;
    exponent += 1;
  }
  const ratio = (mantissa - 1) / (mantissa + 1);
  const square = ratio * ratio;
  let series = 0;
  for (let power = 23; power >= 1; power -= 2) series = series * square + 1 / power;
  return 2 * ratio * series - exponent * Math.LN2;
}
