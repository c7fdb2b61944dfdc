import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { noteDemoModel } from '../../../src/cli/output/demo-note.ts';
import { readAll } from '../../support/read-all.ts';
import { invoke } from '../invoke.ts';

const said = (name: string, isTTY: boolean, quiet = false): string => {
  const stderr = Object.assign(new PassThrough(), { isTTY });
  noteDemoModel({ name }, { quiet }, { stderr, environment: {} });
  return String(readAll(stderr));
};

it('notes on a terminal that this is the demo model, and how to get another', () => {
  expect(said('demo', true)).toBe(
    'svc: this is the demo model, which shows the software and not how VoxCPM sounds; ' +
      "get a real model with 'svc models pull voxcpm-0.5b', and use it with --model voxcpm-0.5b\n",
  );
});

it('is silent for other models, in a pipe, and with --quiet', () => {
  expect([said('VoxCPM', true), said('demo', false), said('demo', true, true)]).toEqual(['', '', '']);
});

it.each([
  [['tts', 'Hello.', '--output', '/dev/null'], 'stderr', 1],
  [['tts', 'Hello.', '--output', '/dev/null'], 'none', 0],
  [['clone', 'Hello.', '--voice', 'iris', '--quiet', '--output', '/dev/null'], 'stderr', 0],
] as const)('svc %j on a terminal (%s) says it %d times', async (argv, terminal, times) => {
  const backend = {
    stopAt: 4,
    info: { name: 'demo', contextLength: 100_000, outputSampleRate: 16_000, patchSamples: 1600 },
  };
  const { code, stderr } = await invoke(argv, { terminal, backend });
  expect([code, stderr.split('this is the demo model').length - 1]).toEqual([0, times]);
});
