/** Exits while onnxruntime computes; terminating its thread during a run would abort the process. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { exportOnnx } from '../../../../export/onnx/export-onnx.ts';
import { sharedFolder } from '../../../support/test-folder.ts';

const folder = sharedFolder();
beforeAll(async () => {
  const checkpoint = join(process.cwd(), 'tests', 'fixtures', 'tiny-v1', 'checkpoint');
  await exportOnnx({ checkpoint, output: folder, types: { lm: 'f32', dit: 'f32', vae: 'f32' } });
});

const codeOf = (how: string, milliseconds: number): Promise<number | string | null> =>
  new Promise((resolve) => {
    const args = [
      '--import',
      './tests/runner/register.js',
      'tests/engine/backends/onnx/exit-in-run.ts',
      folder,
      String(milliseconds),
      how,
    ];
    execFile(process.execPath, args, (error) => resolve(error === null ? 0 : (error.signal ?? error.code ?? null)));
  });

it.each([
  ['exit', 7],
  ['throw', 1],
])('exits with its own code during a run, 8 times (%s)', async (how, code) => {
  const codes = [];
  for (let index = 0; index < 8; index += 1) codes.push(await codeOf(how, 300 + index * 60));
  expect(codes).toEqual(Array(8).fill(code));
});
