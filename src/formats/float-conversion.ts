/** Conversion between float32 and 16-bit floating-point types, rounding to nearest, ties to even. */

const bits = new Uint32Array(1);
const value = new Float32Array(bits.buffer);

function halfBits(number: number): number {
  value[0] = number;
  const word = bits[0] ?? 0;
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  // Values from 65520 round to infinity.
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude >= 0x38800000) {
    const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1);
    return sign | ((rounded - 0x38000000) >>> 13);
  }
  // Values below half of the smallest subnormal, 2^-24, round to zero.
  if (magnitude < 0x33000000) return sign;
  const shift = 126 - (magnitude >>> 23);
  const mantissa = (magnitude & 0x7fffff) | 0x800000;
  const quotient = mantissa >>> shift;
  const remainder = mantissa & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return sign | (quotient + (remainder > half || (remainder === half && quotient % 2 === 1) ? 1 : 0));
}

function halfValue(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

let halfTable: Float32Array | undefined;

/** Float32 to IEEE half precision. */
export function toHalf(floats: Float32Array): Uint16Array {
  const halves = new Uint16Array(floats.length);
  for (let index = 0; index < floats.length; index += 1) halves[index] = halfBits(floats[index] ?? 0);
  return halves;
}

/** IEEE half precision to float32, exact. */
export function fromHalf(halves: Uint16Array): Float32Array {
  halfTable ??= Float32Array.from({ length: 65536 }, (_, half) => halfValue(half));
  const floats = new Float32Array(halves.length);
  for (let index = 0; index < halves.length; index += 1) floats[index] = halfTable[halves[index] ?? 0] ?? 0;
  return floats;
}

export function toBfloat16(floats: Float32Array): Uint16Array {
  const words = new Uint32Array(floats.buffer, floats.byteOffset, floats.length);
  const result = new Uint16Array(floats.length);
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? 0;
    const isNan = (word & 0x7fffffff) > 0x7f800000;
    result[index] = isNan ? (word >>> 16) | 0x40 : (word + 0x7fff + ((word >>> 16) & 1)) >>> 16;
  }
  return result;
}

/** Bfloat16 to float32, exact. */
export function fromBfloat16(halves: Uint16Array): Float32Array {
  const words = new Uint32Array(halves.length);
  for (let index = 0; index < halves.length; index += 1) words[index] = (halves[index] ?? 0) << 16;
  return new Float32Array(words.buffer);
}
