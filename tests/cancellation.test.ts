import { getEventListeners } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { aborted, followSignal, untilAborted, waitFor } from '../src/cancellation.ts';
import { SvcError } from '../src/errors.ts';
import { withLock } from '../src/hub/lock.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

describe('followSignal', () => {
  it('ends with the outer signal, for the same reason', () => {
    const outer = new AbortController();
    const lifetime = followSignal(outer.signal);
    const reason = new SvcError('CANCELLED', 'enough');
    outer.abort(reason);
    expect(lifetime.signal.reason).toBe(reason);
    expect(followSignal(outer.signal).signal.reason).toBe(reason);
  });

  it('ends independently without affecting the outer signal', () => {
    const outer = new AbortController();
    const lifetime = followSignal(outer.signal);
    lifetime.end();
    expect([lifetime.signal.aborted, outer.signal.aborted]).toEqual([true, false]);
  });

  it('leaves no listener on the outer signal once detached', () => {
    const outer = new AbortController();
    for (let count = 0; count < 100; count += 1) followSignal(outer.signal).detach();
    expect(getEventListeners(outer.signal, 'abort')).toHaveLength(0);
  });
});

describe('waitFor', () => {
  const reason = new SvcError('CANCELLED', 'enough');

  it('ends once, with the first of result, failure and abort, and leaves no listener', async () => {
    const { signal, abort } = (() => {
      const controller = new AbortController();
      return { signal: controller.signal, abort: () => controller.abort(reason) };
    })();
    const ends: string[] = [];
    const settled = waitFor<number>(
      signal,
      (resolve, reject) => {
        resolve(1);
        reject(new Error('late'));
        resolve(2);
      },
      () => ends.push('settled'),
    );
    const failed = waitFor(signal, (_, reject) => reject(new Error('broken')));
    let resolve = (_: number): void => undefined;
    const waiting = waitFor<number>(
      signal,
      (given) => {
        resolve = given;
      },
      () => ends.push('aborted'),
    );
    expect(ends).toEqual(['settled']);
    abort();
    // The next caller already finds it ended.
    expect(ends).toEqual(['settled', 'aborted']);
    resolve(3);
    expect(await settled).toBe(1);
    await expect(failed).rejects.toThrow('broken');
    await expect(waiting).rejects.toBe(reason);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(ends).toHaveLength(2);
  });

  it('does not begin with an aborted signal', async () => {
    let hasBegun = false;
    const begin = (): void => {
      hasBegun = true;
    };
    await expect(waitFor(AbortSignal.abort(reason), begin)).rejects.toBe(reason);
    expect(hasBegun).toBe(false);
    await aborted(AbortSignal.abort(reason));
    await expect(untilAborted(AbortSignal.abort(reason), Promise.reject(new Error('unseen')))).rejects.toBe(reason);
  });
});

it("a lock leaves no listener on its caller's signal, but still ends with it", async () => {
  const outer = new AbortController();
  await using folder = await temporaryFolder();
  const path = folder.join('file');
  const lock = { signal: outer.signal, busy: 'wait' } as const;
  for (let count = 0; count < 5; count += 1) await withLock(path, lock, () => Promise.resolve());
  expect(getEventListeners(outer.signal, 'abort')).toHaveLength(0);
  const ended = withLock(path, lock, (signal) => {
    outer.abort(new SvcError('CANCELLED', 'enough'));
    return Promise.resolve(signal.reason as Error);
  });
  expect((await ended).message).toBe('enough');
});

it('nothing uses AbortSignal.any, which leaks in Node 20', async () => {
  const files = (await readdir('src', { recursive: true })).filter((name) => name.endsWith('.ts'));
  const sources = await Promise.all(files.map((name) => readFile(join('src', name), 'utf8')));
  const using = files.filter((_, index) => /AbortSignal\.any\(/.test(sources[index] ?? ''));
  expect([files.length > 100, using]).toEqual([true, []]);
});
