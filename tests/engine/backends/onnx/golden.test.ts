import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { compareGoldenOnnx } from '../../../golden/onnx/compare-onnx.ts';
import { fixtures, tinyModels } from '../../../golden/tiny-models.ts';

describe('golden data of the official implementation', () => {
  it.each(tinyModels)('$name: the exported ONNX files match every entry', async ({ name, checks }) => {
    const directory = join(fixtures, name);
    const types = { lm: 'f32', dit: 'f32', vae: 'f32' } as const;
    const comparison = await compareGoldenOnnx({ directory, types, threads: 1 });
    expect(comparison.failures).toEqual([]);
    expect(comparison.checks.length).toBeGreaterThan(checks);
  });
});
