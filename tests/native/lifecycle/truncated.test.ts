/** A model whose file is cut while it is used: reading the mapped file would end the process. */
import { copyFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { freshFolder } from '../../support/test-folder.ts';
import { fixture, runChild } from './child.ts';

const folder = freshFolder();

/** Embeddings of tokens stay in the file, whoever computes: a new text needs them, speech that has begun does not. */
it.each([
  ['our kernels', ''],
  ["ggml's", 'ggml'],
])('speaks on with %s, and refuses a new text', async (_kernels, kernels) => {
  const path = folder.join('model.gguf');
  await copyFile(fixture('tiny-v2'), path);
  const outcome = await runChild('truncated.mjs', [path, kernels]);
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(outcome.stdout)).toEqual({ code: 'MODEL_INVALID', finite: true });
});
