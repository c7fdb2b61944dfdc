/** The ways in which a VAE decoder may be conditioned on the sample rate, of which published models use one. */
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openCheckpoint } from '../../../export/checkpoint.ts';
import type { Checkpoint } from '../../../export/checkpoint-source.ts';
import { expectedTensors } from '../../../export/expected-tensors.ts';
import { parseModelConfig } from '../../../export/model-config.ts';
import { exportOnnx } from '../../../export/onnx/export-onnx.ts';
import { modelPrecisions } from '../../../export/onnx/precision.ts';
import { seededNoise } from '../../../src/engine/noise.ts';
import { elementCount } from '../../../src/formats/safetensors.ts';
import { sharedFolder } from '../../support/test-folder.ts';

const folder = sharedFolder();

/** The fixture with other fields of the VAE, and random values for tensors that it lacks. */
async function conditioned(fields: Readonly<Record<string, unknown>>): Promise<Checkpoint> {
  const original = await openCheckpoint(join(process.cwd(), 'tests', 'fixtures', 'tiny-v2', 'checkpoint'));
  const given = JSON.parse(original.configText);
  const changed = { ...given, audio_vae_config: { ...given.audio_vae_config, ...fields } };
  const config = parseModelConfig(changed, 'config.json');
  const tensors = new Map(original.tensors);
  const noise = seededNoise(1);
  for (const { name, shape } of expectedTensors(config)) {
    if (tensors.has(name)) continue;
    const middle = name.endsWith('.alpha') ? 1 : 0;
    const values = noise.next(elementCount(shape)).map((value) => middle + 0.1 * value);
    const read = async (start: number, count: number) => new Uint8Array(values.slice(start, start + count).buffer);
    tensors.set(name, { name, shape, dtype: 'F32', read });
  }
  return { ...original, config, configText: JSON.stringify(changed), tensors, reopen: () => conditioned(fields) };
}

it.each([
  { cond_type: 'add' },
  { cond_type: 'scale_bias', cond_out_layer: true },
  { cond_type: 'concat', cond_out_layer: true, cond_dim: 6 },
])('computes what the native engine computes with %j', async (fields) => {
  const { validated } = await exportOnnx({
    checkpoint: await conditioned(fields),
    output: join(folder, fields.cond_type),
    types: modelPrecisions.f32,
    steps: ['build', 'validate'],
    tolerances: { rtol: 1e-3, atol: 1e-4, numTests: 1 },
  });
  expect(validated?.errors['decoded audio']).toBeLessThan(1);
});
