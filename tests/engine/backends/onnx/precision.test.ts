import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import type { StagePrecisions } from '../../../../export/onnx/precision.ts';
import { openOnnxBackend } from '../../../../src/engine/backends/onnx/open-onnx.ts';
import { Comparison, finiteOnly } from '../../../golden/comparison.ts';
import { withOnnx } from '../../../golden/onnx/compare-onnx.ts';
import { OnnxProbe } from '../../../golden/onnx/probe.ts';
import { recordedOutputs } from '../../../golden/recorded-outputs.ts';
import { exportedOnnx } from '../../../support/exported-onnx.ts';
import { expectErrorsWithin } from '../../../support/relative-errors.ts';
import { rounds } from '../../../support/rounds.ts';

const directory = join(process.cwd(), 'tests', 'fixtures', 'tiny-v2');
const comparison = new Comparison(directory, finiteOnly, () => {});

/** Outputs of the stages for the recorded inputs, and the first patch of a run. */
async function computeStages(folder: string): Promise<Record<string, Float32Array>> {
  const backend = await openOnnxBackend(folder, { backend: 'cpu', threads: 1 });
  const probe = await OnnxProbe.open(folder);
  try {
    return await recordedOutputs(backend, probe, comparison);
  } finally {
    await probe.close();
    await backend[Symbol.asyncDispose]();
  }
}

/** Upper bounds of the relative error against F32 in any stage. Random weights are the worst case for few bits. */
const bounds: readonly { readonly name: string; readonly types: StagePrecisions; readonly bound: number }[] = [
  { name: 'f16', types: { lm: 'f16', dit: 'f16', vae: 'f16' }, bound: 0.005 },
  // Its blocks of 8 bits are those of the next, and its flow that of q4.
  ...rounds([], [{ name: 'q8', types: { lm: 'q8', dit: 'q8', vae: 'f32' }, bound: 0.05 } as const]),
  { name: 'lm=q8,dit=int8', types: { lm: 'q8', dit: 'int8', vae: 'f32' }, bound: 0.05 },
  { name: 'q4', types: { lm: 'q4', dit: 'q4', vae: 'f32' }, bound: 0.5 },
];

describe('relative error of a precision', () => {
  let reference: Record<string, Float32Array>;
  const errors: string[] = [];
  beforeAll(async () => {
    reference = await computeStages(await exportedOnnx('tiny-v2'));
  });
  afterAll(() => console.log(errors.join('\n')));

  it.each(bounds)('$name stays below $bound in every stage', async ({ name, types, bound }) => {
    const computed = await withOnnx(join(directory, 'checkpoint'), types, computeStages);
    const found = Object.entries(expectErrorsWithin(bound, computed, reference));
    errors.push(...found.map(([stage, error]) => `${name.padEnd(15)} ${stage.padEnd(14)} ${error.toExponential(2)}`));
  });
});
