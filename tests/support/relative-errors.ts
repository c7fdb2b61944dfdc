import { expect } from '@jest/globals';

/** Outputs of a model's stages by name. */
export type StageOutputs = Readonly<Record<string, Float32Array>>;

/**
 * Expects each stage to be within `bound` of the reference, and some stage to differ from it: a precision that the export
 * ignored would have no error at all.
 *
 * @returns root mean square of the difference, relative to that of the reference, by stage
 */
export function expectErrorsWithin(
  bound: number,
  actual: StageOutputs,
  reference: StageOutputs,
): Record<string, number> {
  const stages = Object.entries(reference);
  const errors = Object.fromEntries(stages.map(([stage, expected]) => [stage, relativeError(actual[stage], expected)]));
  for (const [stage, error] of Object.entries(errors)) {
    expect({ stage, within: error <= bound, error }).toEqual({ stage, within: true, error });
  }
  expect(Math.max(...Object.values(errors))).toBeGreaterThan(0);
  return errors;
}

/** Root mean square of the difference, relative to that of the reference. */
export function relativeError(actual: Float32Array | undefined, reference: Float32Array | undefined): number {
  if (reference === undefined) throw new Error('there are no reference values');
  expect(actual).toHaveLength(reference.length);
  let difference = 0;
  let power = 0;
  for (const [index, value] of reference.entries()) {
    difference += ((actual?.[index] as number) - value) ** 2;
    power += value ** 2;
  }
  return Math.sqrt(difference / power);
}
