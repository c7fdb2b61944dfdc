/** A model whose file is cut while it is used: reading the mapped file would end the process. */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { fixture, runChild } from './child.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-truncated-'));
});
afterEach(() => rm(folder, { recursive: true }));

it.each([
  ['our kernels, which read rows of the file', '', 'MODEL_INVALID'],
  ["ggml's, which have a copy", 'ggml', 'none'],
])('speaks on with %s', async (_kernels, kernels, code) => {
  const path = join(folder, 'model.gguf');
  await copyFile(fixture('tiny-v2'), path);
  const outcome = await runChild('truncated.mjs', [path, kernels]);
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(outcome.stdout)).toEqual({ code, finite: true });
});
