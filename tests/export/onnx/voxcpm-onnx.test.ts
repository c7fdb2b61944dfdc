import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { exportOnnx } from '../../../export/onnx/export-onnx.ts';
import { modelPrecisions } from '../../../export/onnx/precision.ts';
import { loadRuntime } from '../../../src/engine/backends/onnx/runtime.ts';
import { sharedFolder } from '../../support/test-folder.ts';

const fixtures = join(process.cwd(), 'tests', 'fixtures');
const checkpoint = join(fixtures, 'tiny-v1', 'checkpoint');
const graphs = ['audio_vae_encoder', 'audio_vae_decoder', 'voxcpm_prefill', 'voxcpm_decode_step'];

describe('the layout voxcpm-onnx', () => {
  const output = sharedFolder();
  beforeAll(async () => {
    await exportOnnx({ checkpoint, output, types: modelPrecisions.f32, layout: 'voxcpm-onnx' });
  });

  it.each(graphs)('%s has the names, types and axes of VoxCPM-ONNX', async (name) => {
    const { InferenceSession } = await loadRuntime();
    const ours = await InferenceSession.create(join(output, `${name}.onnx`));
    const theirs = await InferenceSession.create(join(fixtures, 'voxcpm-onnx', `${name}.onnx`));
    expect(ours.inputMetadata).toEqual(theirs.inputMetadata);
    expect(ours.outputMetadata).toEqual(theirs.outputMetadata);
    await ours.release();
    await theirs.release();
  });

  it('matches the native engine, with its number of timesteps', async () => {
    const { validated } = await exportOnnx({
      checkpoint,
      output: join(output, 'four'),
      types: modelPrecisions.int8,
      layout: 'voxcpm-onnx',
      timesteps: 4,
      steps: ['build', 'quantize', 'validate'],
      tolerances: { rtol: 1e-3, atol: 1e-4, numTests: 1 },
    });
    expect(Object.keys(validated?.errors ?? {})).toEqual(expect.arrayContaining(['products', 'first patch']));
    expect(Object.entries(validated?.errors ?? {}).filter(([, error]) => !(error < 1))).toEqual([]);
  });

  it('refuses models that VoxCPM-ONNX does not support', async () => {
    const other = join(fixtures, 'tiny-v2', 'checkpoint');
    const exporting = exportOnnx({ checkpoint: other, output, types: modelPrecisions.f32, layout: 'voxcpm-onnx' });
    await expect(exporting).rejects.toMatchObject({ code: 'MODEL_INVALID' });
  });
});
