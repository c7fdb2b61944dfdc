import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withLock } from '../../src/hub/lock.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-lock-'));
  path = join(folder, 'locks', 'model');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A lock like that of another process. */
async function heldSince(seconds: number): Promise<void> {
  await mkdir(`${path}.lock`, { recursive: true });
  const time = Date.now() / 1000 - seconds;
  await utimes(`${path}.lock`, time, time);
}

const waiting = { busy: 'wait' } as const;

describe('withLock', () => {
  it('runs tasks one after another', async () => {
    const log: string[] = [];
    const task = (name: string) =>
      withLock(path, { ...waiting, onWait: () => log.push(`${name} waits`) }, async () => {
        log.push(`${name} begins`);
        await sleep(100);
        log.push(`${name} ends`);
        return name;
      });
    const first = task('a');
    await sleep(50);
    expect(await Promise.all([first, task('b')])).toEqual(['a', 'b']);
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

  it('names a folder that cannot be written', async () => {
    const impossible = join(folder, 'a'.repeat(255));
    await expect(withLock(impossible, waiting, async () => 'done')).rejects.toMatchObject({
      code: 'IO',
      message: expect.stringMatching(`^cannot write to folder ${folder}: the name is too long$`),
    });
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

  it('discards the result of a task that lost the lock', async () => {
    const lost = withLock(path, waiting, async (signal) => {
      await heldSince(1);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return 'done';
    });
    await expect(lost).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('aborts the task when the lock is lost, and leaves it to its new holder', async () => {
    const lost = withLock(path, waiting, async (signal) => {
      await heldSince(1);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      signal.throwIfAborted();
    });
    await expect(lost).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(existsSync(`${path}.lock`)).toBe(true);
  });
});
