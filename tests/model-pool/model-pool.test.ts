/** Loading, unloading and waiting, with fake engines behind real files. */
import { rename, rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import type { ModelPool } from '../../src/model-pool/model-pool.ts';
import type { ModelLease } from '../../src/model-pool/served-models.ts';
import { eventually } from '../support/eventually.ts';
import { createGate } from '../support/gate.ts';
import { fakeModels } from './fake-models.ts';

/** More than one model of a few bytes is estimated to need, less than two. */
const oneModel = 100 * 2 ** 20;

const models = fakeModels(['a', 'b', 'c'], () => ({ stopAt: 2 }));
const { folder } = models;
let pool: ModelPool;

async function start(options: Parameters<typeof models.open>[0] = {}): Promise<void> {
  pool = await models.open({ aliases: { 'tts-1': 'a' }, residentBytes: () => 0, ...options });
}
/** Waits until a request for the model waits, or uses it. */
const awaited = (at: number): Promise<void> =>
  eventually(() => pool.list()[at]?.requests === 1, `model ${at} is awaited`);

const never = new AbortController().signal;
const take = (
  name: string,
  { keepAlive, signal = never }: { keepAlive?: number | undefined; signal?: AbortSignal } = {},
): Promise<ModelLease> => pool.lease(name, { keepAlive, wait: (work) => work(signal) });
const use = async (name: string, keepAlive?: number): Promise<void> => (await take(name, { keepAlive })).release();
const states = (): readonly string[] => pool.list().map(({ name, state }) => `${name} ${state}`);
const state = (name: string): string | undefined => pool.list().find((one) => one.name === name)?.state;

describe('loading', () => {
  it('happens on first use, once for concurrent requests', async () => {
    await start();
    expect(states()).toEqual(['a unloaded', 'b unloaded', 'c unloaded']);
    const leases = await Promise.all([take('a'), take('tts-1'), take('a')]);
    expect(models.opened).toEqual(['a']);
    expect(new Set(leases.map(({ engine }) => engine)).size).toBe(1);
    expect(pool.list()[0]).toMatchObject({ state: 'loaded', requests: 3, aliases: ['tts-1'], info: { name: 'a' } });
    for (const { release } of leases) release();
    expect(pool.list()[0]).toMatchObject({ state: 'loaded', requests: 0 });
  });

  it('that fails rejects all who wait with the reason, and the next request tries again', async () => {
    await start();
    models.whileOpening = async () => {
      throw Object.assign(new Error('not a GGUF file'), { code: 'MODEL_INVALID' });
    };
    const reason = { status: 503, message: 'cannot load model "a": not a GGUF file' };
    for (const failure of await Promise.allSettled([take('a'), take('a')])) expect(failure).toMatchObject({ reason });
    expect(models.opened).toEqual(['a']);
    expect(state('a')).toBe('unloaded');
    models.whileOpening = async () => undefined;
    await use('a');
    expect(state('a')).toBe('loaded');
  });

  it('for which a GPU has no memory unloads idle models, the least recently used first, and fails without any', async () => {
    await start();
    // The GPU holds one model.
    models.whileOpening = async () => {
      const loaded = states().filter((one) => one.endsWith(' loaded')).length;
      if (loaded > 0) throw Object.assign(new Error('the GPU is full'), { code: 'OUT_OF_MEMORY' });
    };
    await use('a');
    const held = await take('b');
    const { opened, closed } = models;
    expect([opened, closed, states()]).toEqual([['a', 'b', 'b'], ['a'], ['a unloaded', 'b loaded', 'c unloaded']]);
    await expect(use('c')).rejects.toMatchObject({ code: 'OUT_OF_MEMORY' });
    expect(closed).toEqual(['a']);
    held.release();
    await use('c');
    expect(closed).toEqual(['a', 'b']);
    expect(states()).toEqual(['a unloaded', 'b unloaded', 'c loaded']);
  });

  it('serves the others when a waiting request leaves', async () => {
    await start();
    const loading = createGate();
    models.whileOpening = () => loading.passed;
    const leaver = new AbortController();
    const left = take('a', { signal: leaver.signal });
    const stays = take('a');
    await eventually(() => pool.list()[0]?.requests === 2, 'both wait');
    leaver.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    loading.open();
    (await stays).release();
    expect(models.opened).toEqual(['a']);
    expect(pool.list()[0]).toMatchObject({ state: 'loaded', requests: 0 });
  });

  it('of a file that is missing says so', async () => {
    await expect(start({ names: ['a', 'nothing'] })).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
    await start();
    await rm(folder.join('b.gguf'));
    await expect(take('b')).rejects.toMatchObject({ status: 503, message: expect.stringContaining('model "b"') });
    expect(models.opened).toEqual([]);
  });
});

describe('keep-alive', () => {
  it('unloads a model that was not used for that long', async () => {
    await start({ keepAlive: 30 });
    const lease = await take('a');
    // Its time begins after the lease.
    await use('b');
    await eventually(() => state('b') === 'unloaded', 'b is unloaded');
    expect(state('a')).toBe('loaded');
    const before = Date.now();
    lease.release();
    expect(pool.list()[0]?.expiresAt?.getTime()).toBeGreaterThanOrEqual(before + 30);
    await eventually(() => state('a') === 'unloaded', 'unloaded');
    expect(models.closed).toEqual(['b', 'a']);
  });

  it('of 0 unloads at once, and that of a request takes precedence', async () => {
    await start({ keepAlive: 0 });
    await use('a', Number.POSITIVE_INFINITY);
    expect(pool.list()[0]).toMatchObject({ state: 'loaded', expiresAt: undefined });
    await use('b');
    await eventually(() => state('b') === 'unloaded', 'b is unloaded');
    await use('a');
    await eventually(() => state('a') === 'unloaded', 'a is unloaded');
  });
});

describe('a memory limit', () => {
  it('unloads the least recently used models that are idle', async () => {
    await start({ memoryLimit: 1.5 * oneModel });
    await use('a');
    await use('b');
    await use('a');
    await use('c');
    expect(models.closed).toEqual(['b']);
    expect(states()).toEqual(['a loaded', 'b unloaded', 'c loaded']);
  });

  it('makes a request wait until the model in use is free', async () => {
    await start({ memoryLimit: oneModel, turn: 1e9 });
    const first = await take('a');
    const second = take('b');
    await awaited(1);
    await use('a');
    expect([models.opened, models.closed]).toEqual([['a'], []]);
    first.release();
    (await second).release();
    expect([models.opened, models.closed]).toEqual([['a', 'b'], ['a']]);
  });

  it('lets a request that waits for memory leave', async () => {
    await start({ memoryLimit: oneModel });
    const first = await take('a');
    const leaver = new AbortController();
    const left = take('b', { signal: leaver.signal });
    const behind = take('c');
    await awaited(2);
    leaver.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    first.release();
    (await behind).release();
    expect(models.opened).toEqual(['a', 'c']);
  });

  it.each([
    ['the awaited model first when the turn is over', 0, ['b', 'a']],
    ['requests for the loaded model first during its turn', 1e9, ['a', 'b']],
  ])('serves %s', async (_, turn, order) => {
    await start({ memoryLimit: oneModel, turn });
    const running = await take('a');
    const served: string[] = [];
    const serve = async (name: string): Promise<void> => {
      const lease = await take(name);
      served.push(name);
      lease.release();
    };
    const other = serve('b');
    await awaited(1);
    const same = serve('a');
    await eventually(() => served.length === 1 || pool.list()[0]?.requests === 2, 'a is awaited or served');
    running.release();
    await Promise.all([other, same]);
    expect(served).toEqual(order);
  });

  it('is refused at the start if a model exceeds it alone', async () => {
    await expect(start({ memoryLimit: 1_000_000 })).rejects.toThrow(
      'model "a" needs about 64 MiB of memory; --memory-limit is 1 MiB',
    );
  });

  it('leaves room for the growth of the process', async () => {
    await start({ memoryLimit: 2.5 * oneModel, growth: 1.5 * oneModel });
    await use('a');
    await use('b');
    expect(models.closed).toEqual(['a']);
  });

  it('counts the memory that the process has', async () => {
    let resident = 0;
    await start({ memoryLimit: 3 * oneModel, residentBytes: () => resident });
    await use('a');
    resident = 2.5 * oneModel;
    await use('b');
    expect(models.closed).toEqual(['a']);
  });
});

it('a replaced file is loaded for the next request, while running ones keep the old model', async () => {
  await start();
  const old = await take('a');
  await writeFile(folder.join('new'), 'another');
  await rename(folder.join('new'), folder.join('a.gguf'));
  const fresh = await take('a');
  expect(fresh.engine).not.toBe(old.engine);
  expect([models.opened, models.closed]).toEqual([['a', 'a'], []]);
  old.release();
  await eventually(() => models.closed.length === 1, 'the old one is closed');
  fresh.release();
  expect(state('a')).toBe('loaded');
  const again = await take('a');
  expect(again.engine).toBe(fresh.engine);
  again.release();
});

describe('unload', () => {
  it('waits for the requests that use the model', async () => {
    await start();
    await pool.unload('a');
    const lease = await take('a');
    await pool.unload('a');
    expect(state('a')).toBe('unloading');
    expect(models.closed).toEqual([]);
    lease.release();
    await eventually(() => state('a') === 'unloaded', 'unloaded');
    await use('a');
    await pool.unload('tts-1');
    expect(state('a')).toBe('unloaded');
  });

  it('is not put off by further requests, which load the model again', async () => {
    await start();
    const first = await take('a');
    await pool.unload('a');
    const second = await take('a');
    expect(models.opened).toEqual(['a', 'a']);
    expect(second.engine).not.toBe(first.engine);
    first.release();
    await eventually(() => models.closed.length === 1, 'the first is closed');
    expect(state('a')).toBe('loaded');
    second.release();
  });
});

it('refuses requests that wait when it is closed', async () => {
  await start({ memoryLimit: oneModel });
  const lease = await take('a');
  const waiting = take('b');
  waiting.catch(() => undefined);
  await awaited(1);
  await pool.close();
  await expect(waiting).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  expect(models.closed).toEqual(['a']);
  lease.release();
});
