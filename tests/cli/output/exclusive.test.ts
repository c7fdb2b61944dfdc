import { afterEach, expect, it, jest } from '@jest/globals';
import { withExclusive } from '../../../src/cli/output/exclusive.ts';
import { expectError } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

afterEach(() => {
  jest.useRealTimers();
});

it('refuses an output to which another run writes, after a while', async () => {
  await using folder = await temporaryFolder();
  const { signal } = new AbortController();
  const note = jest.fn(() => jest.advanceTimersByTime(15_000));
  let finish = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let started = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    started = resolve;
  });
  const run = (task: () => Promise<void>) => withExclusive(folder.join('lock'), '"out.mp3"', { signal, note }, task);
  const first = run(async () => {
    started();
    await held;
  });
  await begun;
  expect(note).not.toHaveBeenCalled();
  jest.useFakeTimers();
  const refused = run(async () => undefined);
  await expectError(refused, 'CONFLICT', 'another run is writing to "out.mp3"; wait for it, or choose another output');
  expect(note.mock.calls).toEqual([
    ['waiting for another run that writes to "out.mp3", or for the lock of a killed one to expire'],
  ]);
  finish();
  await first;
});
