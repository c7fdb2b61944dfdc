import { pick, type Random } from './random.ts';

/** Numbers that expose errors in readers: limits of types, signs, and values around powers of two. */
export const strangeNumbers: readonly bigint[] = [
  ...[0n, 1n, 2n, 7n, 255n, 256n, 65_535n, 65_536n, 2n ** 20n, 2n ** 24n, 2n ** 31n - 1n, 2n ** 31n, 2n ** 32n - 1n],
  ...[2n ** 32n, 2n ** 40n, 2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n],
];

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Overwrites 1, 2, 4 or 8 bytes with such a number. */
export function writeOddNumber(bytes: Buffer, at: number, random: Random, order: 'little' | 'big' = 'little'): void {
  const width = pick(random, [1, 2, 4, 8]);
  if (at + width > bytes.length) return;
  let value = pick(random, strangeNumbers);
  for (let index = 0; index < width; index += 1) {
    bytes[order === 'little' ? at + index : at + width - 1 - index] = Number(value & 255n);
    value >>= 8n;
  }
}

/**
 * Corrupts bytes within `range` without knowledge of the format: flips bits, overwrites bytes and numbers, removes,
 * repeats or moves pieces, truncates.
 *
 * @returns the new bytes and a description of the change
 */
export function mutateBytes(
  original: Buffer,
  random: Random,
  range: Range = { start: 0, end: original.length },
): { readonly bytes: Buffer; readonly change: string } {
  const place = (): number => range.start + random(Math.max(1, range.end - range.start));
  const bytes = Buffer.from(original);
  const at = place();
  const length = 1 + random(64);
  switch (random(8)) {
    case 0:
      return { bytes: bytes.subarray(0, at), change: `cut off at ${at}` };
    case 1:
      return { bytes: bytes.subarray(0, random(bytes.length)), change: 'cut off anywhere' };
    case 2:
      return {
        bytes: Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]),
        change: `${length} bytes removed at ${at}`,
      };
    case 3:
      return {
        bytes: Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]),
        change: `${length} bytes repeated at ${at}`,
      };
    case 4: {
      const from = place();
      bytes.copy(bytes, at, from, from + length);
      return { bytes, change: `${length} bytes copied from ${from} to ${at}` };
    }
    case 5:
      writeOddNumber(bytes, at, random, pick(random, ['little', 'big']));
      return { bytes, change: `a strange number at ${at}` };
    default: {
      const count = 1 + random(8);
      for (let index = 0; index < count; index += 1) {
        const where = place();
        if (where < bytes.length)
          bytes[where] = random(2) === 0 ? random(256) : (bytes[where] as number) ^ (1 << random(8));
      }
      return { bytes, change: `${count} bytes changed, from ${at} on` };
    }
  }
}
