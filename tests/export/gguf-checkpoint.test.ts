import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openCheckpoint } from '../../export/checkpoint.ts';
import { matchTensors } from '../../export/expected-tensors.ts';
import { exportGguf } from '../../export/export-gguf.ts';
import { elementCount } from '../../src/formats/safetensors.ts';
import { readFloats } from '../../src/formats/tensor-source.ts';
import { sharedFolder } from '../support/test-folder.ts';

const fixtures = join(process.cwd(), 'tests', 'fixtures');

const folder = sharedFolder();

/** Numbers rounded like in the file. */
const single = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, inner) => (typeof inner === 'number' ? Math.fround(inner) : inner));

describe.each(['tiny-v1', 'tiny-v15', 'tiny-v2'])('%s as GGUF', (name) => {
  it('equals the original checkpoint', async () => {
    const directory = join(fixtures, name, 'checkpoint');
    const output = join(folder, `${name}.gguf`);
    await exportGguf({
      checkpoint: directory,
      output,
      type: 'f32',
      limits: { maxTextCharacters: 55 },
    });
    await using checkpoint = await openCheckpoint(directory);
    await using again = await openCheckpoint(output);
    expect(single(again.config)).toEqual(single(checkpoint.config));
    expect(again.tokenizerFiles.tokenizer).toBe(checkpoint.tokenizerFiles.tokenizer);
    expect(again.limits).toEqual({ maxTextCharacters: 55 });
    const expected = matchTensors(checkpoint.config, checkpoint.tensors);
    const actual = new Map(
      matchTensors(again.config, again.tensors).map(({ expected: { name: at }, source }) => [at, source]),
    );
    for (const { expected: tensor, source } of expected) {
      const elements = elementCount(tensor.shape);
      const found = actual.get(tensor.name);
      if (elements === 0 || tensor.role === 'integers') continue;
      expect(found?.shape).toEqual(tensor.shape);
      if (found) expect(await readFloats(found, 0, elements)).toEqual(await readFloats(source, 0, elements));
    }
  });
});

describe('foreign files', () => {
  it('are refused', async () => {
    const directory = join(folder, 'folder.gguf');
    await mkdir(directory);
    await expect(openCheckpoint(directory)).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: `config.json is missing from the checkpoint ${directory}`,
    });
    const peer = join(fixtures, 'peer-tiny-v1.gguf');
    await expect(openCheckpoint(peer)).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: expect.stringContaining('was not written by svc export'),
    });
    await expect(openCheckpoint(join(folder, 'none.gguf'))).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
  });
});

describe('a file in Q8_0', () => {
  it('reads any part of a matrix', async () => {
    await using checkpoint = await openCheckpoint(join(process.cwd(), 'models', 'demo.gguf'));
    const source = checkpoint.tensors.get('base_lm.layers.0.mlp.down_proj.weight');
    if (source === undefined) throw new Error('there is no matrix of the base LM');
    const all = await readFloats(source, 0, elementCount(source.shape));
    expect(await readFloats(source, 1000, 77)).toEqual(all.slice(1000, 1077));
    expect(all.every(Number.isFinite)).toBe(true);
    expect(all.some((value) => value !== 0)).toBe(true);
    expect(checkpoint.limits).toEqual({ maxTextCharacters: 120, languages: ['en'] });
  });
});

describe('other files', () => {
  it.each([
    ['one that is not there', 'missing.gguf', 'MODEL_NOT_FOUND'],
    ['one of another converter without its tokenizer', join(fixtures, 'peer-tiny-v1.gguf'), 'MODEL_INVALID'],
  ])('%s is refused', async (_, path, code) => {
    await expect(openCheckpoint(path)).rejects.toMatchObject({ code });
  });
});
