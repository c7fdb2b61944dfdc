/** onnxruntime without its telemetry, which writes an ID of the device to the home folder. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { exportedOnnx } from '../../../support/exported-onnx.ts';
import { sharedFolder } from '../../../support/test-folder.ts';

const folder = sharedFolder();

it.each(['main', 'thread'])('is off where a model is opened in a %s thread', async (place) => {
  const home = join(folder, place);
  await mkdir(home);
  const { ORT_DISABLE_TELEMETRY: _, XDG_CACHE_HOME: _cache, ...environment } = process.env;
  const script = join(process.cwd(), 'tests', 'engine', 'backends', 'onnx', 'speak-once.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, await exportedOnnx('tiny-v1'), place], {
    env: { ...environment, HOME: home },
  });
  expect(stdout).toBe('1\n');
  expect(await readdir(home)).toEqual([]);
});

it('is off everywhere, as one module loads the library', async () => {
  const loading = /(?:\bfrom|\bimport\(|\brequire\()\s*['"]onnxruntime-node['"]/;
  const found: string[] = [];
  for (const root of ['src', 'export', 'bench', 'tests', 'scripts', 'examples']) {
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (/\.(?:m?ts|m?js)$/.test(path) && loading.test(await readFile(path, 'utf8'))) found.push(path);
    }
  }
  expect(found).toEqual([]);
});
