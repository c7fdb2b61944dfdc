import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openCheckpoint } from '../../export/checkpoint.ts';
import { exportGguf } from '../../export/export-gguf.ts';
import { openMerged } from '../../export/merge-adapter.ts';
import { exportOnnx } from '../../export/onnx/export-onnx.ts';
import { modelPrecisions } from '../../export/onnx/precision.ts';
import { describeOnnx } from '../../export/onnx/read-model.ts';
import { readGgufHeader } from '../../src/formats/gguf.ts';
import { readFloats } from '../../src/formats/tensor-source.ts';
import { compareLora } from '../golden/lora.ts';
import { sharedFolder } from '../support/test-folder.ts';

const fixtures = new URL('../fixtures/', import.meta.url).pathname;
const checkpointOf = (name: string): string => join(fixtures, name, 'checkpoint');
const adapterOf = (name: string): string => join(fixtures, 'lora', name, 'lora');

const folder = sharedFolder();

describe('a merged GGUF file', () => {
  it.each(['tiny-v1-lm', 'tiny-v15-all', 'tiny-v2-all', 'tiny-v2-dit'])(
    'computes what the official implementation computes with %s',
    async (name) => {
      const [model = ''] = /^tiny-v\d+/.exec(name) ?? [];
      const output = join(folder, `${name}.gguf`);
      await exportGguf({
        checkpoint: await openMerged(checkpointOf(model), [{ path: adapterOf(name) }]),
        output,
        type: 'f32',
      });
      const comparison = await compareLora({
        directory: join(fixtures, model),
        adapter: join(fixtures, 'lora', name),
        model: output,
        type: 'f32',
        backend: 'cpu',
        threads: 1,
        // The model itself must give the numbers.
        weight: 0,
      });
      expect(comparison.failures).toEqual([]);
      expect(comparison.checks).toHaveLength(10);
    },
  );

  it('names its adapters, also when it is exported again', async () => {
    const first = join(folder, 'first.gguf');
    const adapters = [
      { path: adapterOf('tiny-v2-all'), name: 'anna', weight: 0.5 },
      { path: adapterOf('tiny-v2-dit') },
    ];
    await exportGguf({ checkpoint: await openMerged(checkpointOf('tiny-v2'), adapters), output: first, type: 'f16' });
    const expected = ['anna (rank 4, alpha 8, weight 0.5)', 'lora (rank 3, alpha 6, weight 1)'];
    expect(await loras(first)).toEqual(expected);
    const second = join(folder, 'second.gguf');
    await exportGguf({ checkpoint: first, output: second, type: 'f16' });
    expect(await loras(second)).toEqual(expected);
  });

  it('cannot replace the adapter', async () => {
    const output = join(adapterOf('tiny-v2-dit'), 'lora_weights.safetensors');
    const checkpoint = await openMerged(checkpointOf('tiny-v2'), [{ path: adapterOf('tiny-v2-dit') }]);
    await expect(exportGguf({ checkpoint, output, type: 'f32' })).rejects.toThrow('it is a file of the checkpoint');
  });
});

async function loras(path: string): Promise<unknown> {
  const file = await open(path);
  try {
    return (await readGgufHeader(file, path)).metadata.get('svc.loras');
  } finally {
    await file.close();
  }
}

describe('openMerged', () => {
  const key = 'base_lm.layers.1.self_attn.q_proj.weight';

  it('adds the updates, in any slices', async () => {
    await using plain = await openCheckpoint(checkpointOf('tiny-v2'));
    const path = adapterOf('tiny-v2-all');
    await using whole = await openMerged(checkpointOf('tiny-v2'), [{ path }]);
    await using parts = await openMerged(checkpointOf('tiny-v2'), [
      { path, weight: 0.25 },
      { path, alpha: 16, weight: 0.375 },
    ]);
    const tensor = whole.tensors.get(key);
    const count = (tensor?.shape[0] ?? 0) * (tensor?.shape[1] ?? 0);
    if (!tensor) throw new Error('no tensor');
    const values = await readFloats(tensor, 0, count);
    const base = await readFloats(plain.tensors.get(key) ?? tensor, 0, count);
    expect(values.some((value, index) => Math.abs(value - (base[index] ?? 0)) > 1e-3)).toBe(true);
    expect(await readFloats(tensor, 77, 131)).toEqual(values.slice(77, 208));
    const twice = await readFloats(parts.tensors.get(key) ?? tensor, 0, count);
    expect(Math.max(...twice.map((value, index) => Math.abs(value - (values[index] ?? 0))))).toBeLessThan(1e-6);
    const other = 'base_lm.layers.1.mlp.up_proj.weight';
    expect(whole.tensors.get(other)?.dtype).toBe(plain.tensors.get(other)?.dtype);
  });

  it.each([
    ['tiny-v15-all', /^LoRA adapter "lora" does not fit the checkpoint: tensor ".*" has shape .*, expected /],
    ['none', /^no such LoRA adapter/],
  ])('refuses %s', async (name, message) => {
    await expect(openMerged(checkpointOf('tiny-v2'), [{ path: adapterOf(name) }])).rejects.toThrow(message);
  });
});

describe('a merged ONNX model', () => {
  it('computes what the merged GGUF file computes, and names the adapter', async () => {
    const output = join(folder, 'onnx');
    const checkpoint = await openMerged(checkpointOf('tiny-v1'), [{ path: adapterOf('tiny-v1-all'), name: 'anna' }]);
    const tolerances = { rtol: 1e-3, atol: 1e-4, numTests: 1 };
    const base = { checkpoint: checkpointOf('tiny-v1'), output, types: modelPrecisions.f32, tolerances };
    const { files } = await exportOnnx({ ...base, checkpoint, steps: ['build'] });
    const { metadata } = await describeOnnx(join(output, files.find((file) => file.endsWith('.onnx')) ?? ''));
    expect(metadata.lora).toBe('anna (rank 4, alpha 8, weight 1)');
    // Without the adapter, the same graphs are another model.
    await expect(exportOnnx({ ...base, steps: ['validate'] })).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: expect.stringMatching(
        /contain LoRA adapters: anna \(rank 4, .*\); .* checkpoint without adapters; give/,
      ),
    });
    const again = await openMerged(checkpointOf('tiny-v1'), [{ path: adapterOf('tiny-v1-all') }]);
    const { validated } = await exportOnnx({ ...base, checkpoint: again, steps: ['validate'] });
    expect(Object.keys(validated?.errors ?? {})).toContain('first patch');
    const other = await openMerged(checkpointOf('tiny-v1'), [{ path: adapterOf('tiny-v1-all'), weight: 0.5 }]);
    await expect(exportOnnx({ ...base, checkpoint: other, steps: ['validate'] })).rejects.toThrow('differ from the');
  });
});
