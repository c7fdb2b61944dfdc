/** Compares the audio of two answers. */

export interface Comparison {
  readonly sameLength: boolean;
  /** Largest difference of two samples, relative to full scale. */
  readonly difference: number;
}

const fullScale = 32_768;

export function compareSamples(one: Int16Array, other: Int16Array): Comparison {
  let difference = 0;
  for (let index = 0; index < Math.min(one.length, other.length); index += 1) {
    difference = Math.max(difference, Math.abs((one[index] as number) - (other[index] as number)));
  }
  return { sameLength: one.length === other.length, difference: difference / fullScale };
}

/** Tolerance: 1e-4, plus one 16-bit step for rounding. */
export const isSame = ({ sameLength, difference }: Comparison): boolean =>
  sameLength && difference <= 1e-4 + 1 / fullScale;
