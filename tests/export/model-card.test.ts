/** The metadata of a checkpoint is preserved by every export. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { exportGguf } from '../../export/export-gguf.ts';
import { exportOnnx } from '../../export/onnx/export-onnx.ts';
import { modelPrecisions } from '../../export/onnx/precision.ts';
import { readLimits } from '../../src/engine/read-limits.ts';
import { sharedFolder } from '../support/test-folder.ts';

const folder = sharedFolder();
let checkpoint: string;
const card = { max_text_characters: 55, languages: ['en', 'zh-Hant'] };
const limits = { maxTextCharacters: 55, languages: ['en', 'zh-Hant'] };

async function writeCard(svc: unknown): Promise<void> {
  const config = JSON.parse(await readFile('tests/fixtures/tiny-v1/checkpoint/config.json', 'utf8')) as object;
  await writeFile(
    join(checkpoint, 'config.json'),
    JSON.stringify({ ...config, ...(svc === undefined ? {} : { svc }) }),
  );
}

beforeAll(async () => {
  checkpoint = join(folder, 'checkpoint');
  await cp('tests/fixtures/tiny-v1/checkpoint', checkpoint, { recursive: true });
  await writeCard(card);
});

describe('the field svc of config.json', () => {
  it('is exported to GGUF, and from there to GGUF and both ONNX layouts', async () => {
    const [first, again] = [join(folder, 'a.gguf'), join(folder, 'b.gguf')];
    await exportGguf({ checkpoint, output: first, type: 'f32' });
    expect(await readLimits(first)).toEqual(limits);
    await exportGguf({ checkpoint: first, output: again, type: 'f32' });
    expect(await readLimits(again)).toEqual(limits);
    for (const layout of ['default', 'voxcpm-onnx'] as const) {
      const output = join(folder, layout);
      await exportOnnx({ checkpoint: again, output, layout, types: modelPrecisions.f32, steps: ['build'] });
      expect([layout, await readLimits(output)]).toEqual([layout, limits]);
    }
  });

  it('is overridden by options', async () => {
    const output = join(folder, 'given.gguf');
    await exportGguf({ checkpoint, output, type: 'f32', limits: { maxTextCharacters: 40 } });
    expect(await readLimits(output)).toEqual({ ...limits, maxTextCharacters: 40 });
  });

  it.each([
    [{ max_text_characters: 'many' }, 'config.json: invalid svc.max_text_characters: '],
    [{ languages: ['English language'] }, 'config.json: invalid svc.languages.0: expected a language tag'],
    ['text', 'config.json: invalid svc: '],
  ])('is checked: %j', async (svc, message) => {
    await writeCard(svc);
    await expect(exportGguf({ checkpoint, output: join(folder, 'c.gguf'), type: 'f32' })).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: expect.stringContaining(message),
    });
  });

  it('is absent from official checkpoints', async () => {
    await writeCard(undefined);
    const output = join(folder, 'plain.gguf');
    await exportGguf({ checkpoint, output, type: 'f32' });
    expect(await readLimits(output)).toEqual({});
  });
});

describe('the demo model', () => {
  it('declares its limits', async () => {
    expect(await readLimits('models/demo.gguf')).toEqual({
      maxTextCharacters: 120,
      languages: ['en'],
    });
  });
});
