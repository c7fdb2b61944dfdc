/** A model whose file is cut while it is used: reading the mapped file would end the process. */
import { copyFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { freshFolder } from '../../support/test-folder.ts';
import { fixture, runChild } from './child.ts';

const folder = freshFolder();

it.each([
  ['our kernels, which read rows of the file', '', 'MODEL_INVALID'],
  ["ggml's, which have a copy", 'ggml', 'none'],
])('speaks on with %s', async (_kernels, kernels, code) => {
  const path = folder.join('model.gguf');
  await copyFile(fixture('tiny-v2'), path);
  const outcome = await runChild('truncated.mjs', [path, kernels]);
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(outcome.stdout)).toEqual({ code, finite: true });
});
