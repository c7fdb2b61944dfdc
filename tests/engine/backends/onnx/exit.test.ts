/** Exits while onnxruntime computes; terminating its thread during a run would abort the process. */
import { execFile } from 'node:child_process';
import { beforeAll, expect, it } from '@jest/globals';
import { exportedOnnx } from '../../../support/exported-onnx.ts';
import { rounds } from '../../../support/rounds.ts';

let folder: string;
beforeAll(async () => {
  folder = await exportedOnnx('tiny-v1');
});

const codeOf = (how: string, milliseconds: number): Promise<number | string | null> =>
  new Promise((resolve) => {
    const args = ['tests/engine/backends/onnx/exit-in-run.mjs', folder, String(milliseconds), how];
    execFile(process.execPath, args, (error) => resolve(error === null ? 0 : (error.signal ?? error.code ?? null)));
  });

it.each([
  ['exit', 7],
  ['throw', 1],
])('exits with its own code during a run, again and again (%s)', async (how, code) => {
  const codes = [];
  const count = rounds(1, 8);
  for (let index = 0; index < count; index += 1) codes.push(await codeOf(how, 300 + ((index + 0.5) * 480) / count));
  expect(codes).toEqual(Array(count).fill(code));
});
