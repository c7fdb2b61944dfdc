/** A system that refuses to start threads. */
import { expect, it } from '@jest/globals';
import { fixture, runChild } from './child.ts';

it.each(['ggml', ''])('fails without crashing if threads cannot be started (kernels "%s")', async (kernels) => {
  const outcome = await runChild('threads.mjs', [fixture('tiny-v1'), kernels]);
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  const refused = expect.stringMatching(/^OUT_OF_MEMORY: cannot start 511 threads; use fewer threads/);
  expect(JSON.parse(outcome.stdout)).toEqual([refused, refused, 'done', 'done']);
});
