import { existsSync } from 'node:fs';
import { mkdir, utimes } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { withLock } from '../../src/hub/lock.ts';
import { expectError } from '../support/errors.ts';
import { createGate } from '../support/gate.ts';
import { freshFolder } from '../support/test-folder.ts';

const folder = freshFolder();
let path: string;
beforeEach(() => {
  path = folder.join('locks', 'model');
});

/** A lock like that of another process. */
async function heldSince(seconds: number, lock = path): Promise<void> {
  await mkdir(`${lock}.lock`, { recursive: true });
  const time = Date.now() / 1000 - seconds;
  await utimes(`${lock}.lock`, time, time);
}

const waiting = { busy: 'wait' } as const;

describe('withLock', () => {
  it('runs tasks one after another', async () => {
    const log: string[] = [];
    const [begun, awaited] = [createGate(), createGate()];
    const task = (name: string, work: () => Promise<void>) => {
      const onWait = (): void => {
        log.push(`${name} waits`);
        awaited.open();
      };
      return withLock(path, { ...waiting, onWait }, async () => {
        log.push(`${name} begins`);
        await work();
        log.push(`${name} ends`);
        return name;
      });
    };
    const first = task('a', () => {
      begun.open();
      return awaited.passed;
    });
    await begun.passed;
    expect(await Promise.all([first, task('b', async () => undefined)])).toEqual(['a', 'b']);
    expect(log).toEqual(['a begins', 'b waits', 'a ends', 'b begins', 'b ends']);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it('is released after a failure', async () => {
    const failing = withLock(path, waiting, () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
    expect(await withLock(path, { busy: 'refuse' }, async () => 'done')).toBe('done');
  });

  it('refuses instead of waiting', async () => {
    await heldSince(1);
    const refused = withLock(path, { busy: 'refuse' }, async () => 'done');
    await expect(refused).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('names a folder that cannot be created', async () => {
    const parent = folder.join('a'.repeat(256));
    const impossible = `${parent}/file`;
    const refused = withLock(impossible, waiting, async () => 'done');
    await expectError(refused, 'IO', `cannot create folder ${parent}: the name is too long`);
  });

  it('takes over from a killed process', async () => {
    await heldSince(11);
    expect(await withLock(path, { busy: 'refuse' }, async () => 'done')).toBe('done');
  });

  it('stops waiting when canceled', async () => {
    await heldSince(0);
    const controller = new AbortController();
    const options = { ...waiting, signal: controller.signal, onWait: () => controller.abort() };
    await expect(withLock(path, options, async () => 'done')).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('takes no lock when canceled before', async () => {
    const reason = new Error('canceled before');
    const ran: string[] = [];
    const task = async () => ran.push('task');
    await expect(withLock(path, { ...waiting, signal: AbortSignal.abort(reason) }, task)).rejects.toBe(reason);
    expect(ran).toEqual([]);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it('aborts the task when the lock is lost, discards its result, and leaves the lock to its new holder', async () => {
    const lose = (name: string, end: (signal: AbortSignal) => unknown): Promise<unknown> => {
      const lock = folder.join(name);
      return withLock(lock, waiting, async (signal) => {
        await heldSince(1, lock);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return end(signal);
      });
    };
    // Noticed within two seconds.
    const lost = [lose('a', () => 'done'), lose('b', (signal) => signal.throwIfAborted())];
    for (const outcome of await Promise.allSettled(lost))
      expect(outcome).toMatchObject({ reason: { code: 'CONFLICT' } });
    for (const name of ['a', 'b']) expect(existsSync(folder.join(`${name}.lock`))).toBe(true);
  });
});
