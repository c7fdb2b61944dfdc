/** Whether two answers are the same audio. */

export interface Comparison {
  readonly sameLength: boolean;
  /** Largest difference of two samples, as a share of full scale. */
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

/** 1e-4, and one step of 16 bits for rounding. */
export const isSame = ({ sameLength, difference }: Comparison): boolean =>
  sameLength && difference <= 1e-4 + 1 / fullScale;
