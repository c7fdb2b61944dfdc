/** Exits while onnxruntime computes; terminating its thread during a run would abort the process. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { exportOnnx } from '../../../../export/onnx/export-onnx.ts';
import { rounds } from '../../../support/rounds.ts';
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
])('exits with its own code during a run, again and again (%s)', async (how, code) => {
  const codes = [];
  const count = rounds(2, 8);
  for (let index = 0; index < count; index += 1) codes.push(await codeOf(how, 300 + (index * 480) / count));
  expect(codes).toEqual(Array(count).fill(code));
});
