import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { modelPrecisions } from '../../../../export/onnx/precision.ts';
import { compareGoldenOnnx } from '../../../golden/onnx/compare-onnx.ts';
import { fixtures, tinyModels } from '../../../golden/tiny-models.ts';
import { exportedOnnx } from '../../../support/exported-onnx.ts';
import { rounds } from '../../../support/rounds.ts';

describe('golden data of the official implementation', () => {
  // tiny-v1 has the graphs of tiny-v15, and runs in engine.test.ts.
  const models = tinyModels.filter(({ name }) => rounds(name !== 'tiny-v1', true));

  it.each(models)('$name: the exported ONNX files match every entry', async ({ name, checks }) => {
    const directory = join(fixtures, name);
    // Complete runs only repeat the stages: one model has all of them.
    const isWhole = name === 'tiny-v2' || rounds(false, true);
    const comparison = await compareGoldenOnnx({
      directory,
      model: await exportedOnnx(name),
      types: modelPrecisions.f32,
      threads: 1,
      ...(isWhole ? {} : { runs: ['cont'] }),
    });
    expect(comparison.failures).toEqual([]);
    expect(comparison.checks.length).toBeGreaterThan(isWhole ? checks : checks / 2);
  });
});
