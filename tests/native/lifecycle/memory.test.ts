/** Closed sessions and abandoned utterances leave no memory behind. */
import { expect, it } from '@jest/globals';
import { fixture, runChild } from './child.ts';

it.each(
  ['useSessions', 'dropSessions', 'dropRecordings'].flatMap((kind) => [[kind, 'ggml'] as const, [kind, ''] as const]),
)('gives memory back to the system: %s (kernels "%s")', async (kind, kernels) => {
  const outcome = await runChild('memory.mjs', [fixture('tiny-v2'), kernels, kind]);
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  const { before, open, after } = JSON.parse(outcome.stdout);
  expect(open - before).toBeGreaterThan(20);
  expect(after - before).toBeLessThan((open - before) / 4);
});
