import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { exportOnnx } from '../../../export/onnx/export-onnx.ts';
import { modelPrecisions } from '../../../export/onnx/precision.ts';
import type { Io } from '../../../src/cli/io.ts';
import { localModels } from '../../../src/cli/model/local-models.ts';
import { readManifest } from '../../../src/engine/backends/onnx/manifest.ts';
import { folderOf } from '../../../src/engine/backends/onnx/node-platform.ts';
import type { LocalModel } from '../../../src/server/pages/local-page.ts';
import { sharedFolder } from '../../support/test-folder.ts';
import { invoke } from '../invoke.ts';

const folder = sharedFolder();
let io: Pick<Io, 'environment' | 'signal'>;
beforeAll(() => {
  io = { environment: { SVC_CACHE_DIR: join(folder, 'cache') }, signal: new AbortController().signal };
});

describe('models for browsers', () => {
  it('include the demo model, exported once despite concurrent requests', async () => {
    const [first, second] = [await localModels([], io), await localModels([], io)];
    expect(first.map(({ name }) => name)).toEqual(['demo']);
    const demos = [...first, ...first, ...second] as [LocalModel, ...LocalModel[]];
    const folders = new Set(await Promise.all(demos.map((model) => model.folder())));
    expect(folders.size).toBe(1);
    const [made] = [...folders] as [string];
    expect(await readManifest(folderOf(made))).toMatchObject({
      name: 'demo',
      limits: { maxTextCharacters: 120 },
      files: { 'tokenizer.json': { sha256: expect.any(String) } },
    });
    // No partial export is left.
    expect(await readdir(join(folder, 'cache', 'onnx'))).toHaveLength(1);
  });

  it('are the given folders, then the demo model', async () => {
    const output = join(folder, 'mine');
    const checkpoint = join(process.cwd(), 'tests', 'fixtures', 'tiny-v1', 'checkpoint');
    await exportOnnx({ checkpoint, output, types: modelPrecisions.f32 });
    const models = await localModels([output], io);
    expect(models.map(({ name }) => name)).toEqual(['checkpoint', 'demo']);
    expect(await models[0]?.folder()).toBe(output);
    await expect(localModels([output, output], io)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});

describe('svc serve --local-model', () => {
  it.each(['nothing', 'other'])('refuses a folder with %s', async (name) => {
    if (name === 'other') await writeFile(join(folder, 'voxcpm_decode_step.onnx'), '');
    const { code, stderr, opened } = await invoke([
      'serve',
      '--local-model',
      name === 'other' ? folder : join(folder, name),
    ]);
    expect([code, opened]).toEqual([2, []]);
    expect(stderr).toMatch(
      /^svc: error: --local-model "[^\n]+" has no \S+ with hashes; create it with svc export --format onnx\n$/,
    );
  });
});
