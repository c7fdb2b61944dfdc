import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { compareGoldenOnnx } from '../../../golden/onnx/compare-onnx.ts';

const fixtures = join(process.cwd(), 'tests', 'fixtures');

/** Minimum number of checks in a complete comparison, in case it compares nothing. */
const models = [
  { name: 'tiny-v1', checks: 300 },
  { name: 'tiny-v15', checks: 300 },
  { name: 'tiny-v2', checks: 350 },
] as const;

describe('golden data of the official implementation', () => {
  it.each(models)('$name: the exported ONNX files match every entry', async ({ name, checks }) => {
    const directory = join(fixtures, name);
    const types = { lm: 'f32', dit: 'f32', vae: 'f32' } as const;
    const comparison = await compareGoldenOnnx({ directory, types, threads: 1 });
    expect(comparison.failures).toEqual([]);
    expect(comparison.checks.length).toBeGreaterThan(checks);
  });
});
