import { cp, rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createEngineFromBackend, type Engine } from '../../../src/engine/engine.ts';
import { type AdapterCatalog, createAdapterCatalog } from '../../../src/engine/lora/adapter-catalog.ts';
import { createLoadedAdapters } from '../../../src/engine/lora/loaded-adapters.ts';
import { expectError } from '../../support/errors.ts';
import { sharedFolder } from '../../support/test-folder.ts';
import { createFakeBackend, type FakeBackend, type FakeOptions, failingAt } from '../fake-backend.ts';

const fixtures = new URL('../../fixtures/lora/', import.meta.url).pathname;
/** Fits the fake backend. */
const path = join(fixtures, 'tiny-v1-dit', 'lora');
const long = 'One sentence that is rather long. Another sentence that is rather long. '.repeat(8);

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const folder = sharedFolder();

interface SetUp {
  readonly backend: FakeBackend;
  readonly engine: Engine;
  readonly loras: AdapterCatalog;
}

async function setUp(options: FakeOptions = {}): Promise<SetUp> {
  const backend = createFakeBackend({ adapters: 'supported', stopAt: 4, firstLevel: 1, ...options });
  const loras = createAdapterCatalog();
  await loras.add('anna', { path, weight: 0.5 });
  await loras.add('ben', { path, alpha: 12 });
  return { backend, loras, engine: createEngineFromBackend(backend, { maxBatch: 4, loras }) };
}

describe('adapters of an engine', () => {
  it('are loaded on first use and given to every part and attempt', async () => {
    const { engine, backend, loras } = await setUp({ firstLevel: 0, loudness: (session) => (session === 0 ? 0 : 1) });
    expect(backend.adapters).toEqual([]);
    const { parts } = await engine.synthesize({ text: long, lora: 'anna', seed: 1 });
    expect(parts).toBeGreaterThan(1);
    // The first attempt at the first part is silent.
    expect(backend.opened).toHaveLength(parts + 1);
    expect(backend.adapters).toHaveLength(1);
    const [adapter] = backend.adapters;
    expect(backend.opened.map(({ use }) => use)).toEqual(Array(parts + 1).fill({ adapter, weight: 0.5 }));
    expect(adapter?.weights.scale).toBe(2);
    expect(loras.list()[0]).toMatchObject({ name: 'anna', rank: 3, alpha: 6, baseModel: 'tiny-v1', targets: 8 });
    expect(loras.list().map(({ memoryBytes, bytes }) => memoryBytes / bytes)).toEqual([1, 0]);
    await engine.close();
    expect(adapter?.closed).toBe(true);
    expect(loras.list()[0]?.memoryBytes).toBe(0);
  });

  it('are chosen by each request, with its own weight', async () => {
    const { engine, backend } = await setUp();
    const requests = [{ lora: 'anna' }, { lora: 'ben', loraWeight: 2 }, {}, { lora: '' }, { lora: 'ben' }];
    const stream = async (fields: object): Promise<void> => {
      for await (const _ of engine.stream({ text: 'hello', ...fields }));
    };
    await Promise.all(requests.map(stream));
    const scales = backend.opened.map(({ use }) => {
      const adapter = backend.adapters.find((one) => one === use?.adapter);
      return adapter && [adapter.weights.scale, use?.weight];
    });
    const expected = [[2, 0.5], [4, 2], [4, 1], undefined, undefined];
    expect(scales.sort()).toEqual(expected.sort());
    expect(backend.adapters).toHaveLength(2);
  });

  it('that are removed serve their running requests and no others', async () => {
    const { engine, backend, loras } = await setUp();
    const stream = engine.stream({ text: long, lora: 'anna' })[Symbol.asyncIterator]();
    await stream.next();
    loras.remove('anna');
    expect(loras.list().map(({ name }) => name)).toEqual(['ben']);
    const unknown = 'unknown LoRA adapter "anna" (available: ben)';
    expect(() => engine.stream({ text: 'hello', lora: 'anna' })).toThrow(unknown);
    await loras.add('anna', { path });
    await engine.synthesize({ text: 'hello', lora: 'anna' });
    const [first, second] = backend.adapters;
    expect([first?.closed, second?.closed]).toEqual([false, false]);
    while (!(await stream.next()).done);
    await settle();
    expect([first?.closed, second?.closed]).toEqual([true, false]);
    expect(new Set(backend.opened.map(({ use }) => use?.adapter)).size).toBe(2);
    loras.remove('anna');
    await settle();
    expect(second?.closed).toBe(true);
  });

  it('that are pinned speak in every way after they were replaced', async () => {
    const { engine, backend, loras } = await setUp();
    const pin = loras.pin('anna');
    loras.remove('anna');
    await loras.add('anna', { path, weight: 3 });
    const { adapter } = pin;
    async function* written() {
      yield 'Hello there.';
    }
    const request = { text: 'hello', lora: 'anna' };
    for await (const _ of engine.stream(request, { adapter }));
    for await (const _ of engine.synthesizeParts(request, { adapter }));
    for await (const _ of engine.stream({ text: written(), lora: 'anna' }, { adapter }));
    expect(backend.opened.map(({ use }) => use?.weight)).toEqual([0.5, 0.5, 0.5]);
    // Kept in memory until the pin is released.
    expect(backend.adapters.map(({ closed }) => closed)).toEqual([false]);
    pin.release();
    pin.release();
    await settle();
    expect(backend.adapters.map(({ closed }) => closed)).toEqual([true]);
    expect([adapter.requests, adapter.copies]).toEqual([0, 0]);
  });

  it('that are removed while a request outlives its pin are freed after the request', async () => {
    const { backend, loras } = await setUp();
    const loaded = createLoadedAdapters(backend, loras);
    const pin = loras.pin('anna');
    const { release } = await loaded.lease({ lora: 'anna' }, pin.adapter);
    loras.remove('anna');
    pin.release();
    await settle();
    expect(backend.adapters.map(({ closed }) => closed)).toEqual([false]);
    release();
    await settle();
    expect(backend.adapters.map(({ closed }) => closed)).toEqual([true]);
  });

  it('are released by requests that fail or are canceled', async () => {
    const { engine, loras } = await setUp(failingAt(1, {}));
    await expect(engine.synthesize({ text: 'hello', lora: 'anna' })).rejects.toThrow('out of luck');
    const signal = AbortSignal.abort();
    await expect(engine.synthesize({ text: 'hello', lora: 'anna' }, { signal })).rejects.toThrow();
    expect(loras.list()[0]?.requests).toBe(0);
  });

  it('are read again after a failure', async () => {
    const { engine, loras } = await setUp();
    const own = join(folder, 'own');
    await cp(path, own, { recursive: true });
    await loras.add('own', { path: own });
    const request = { text: 'hello', lora: 'own' };
    await rename(own, `${own}-away`);
    await expect(engine.synthesize(request)).rejects.toMatchObject({
      message: 'the files of LoRA adapter "own" are missing; unload it and load it again',
      param: 'lora',
    });
    await rename(`${own}-away`, own);
    await expect(engine.synthesize(request)).resolves.toMatchObject({ patches: 5 });
  });

  it.each(['lora_weights.safetensors', 'lora_config.json'])('are refused when %s has changed', async (name) => {
    const { engine, loras } = await setUp();
    const own = join(folder, `changed-${name}`);
    await cp(path, own, { recursive: true });
    await loras.add('own', { path: own });
    await utimes(join(own, name), 1, 1);
    await expect(engine.synthesize({ text: 'hello', lora: 'own' })).rejects.toMatchObject({
      message: 'the files of LoRA adapter "own" have changed since it was loaded; unload it and load it again',
      param: 'lora',
    });
  });

  it('that are idle are freed, the least recently used first, and read again', async () => {
    const { backend, loras } = await setUp();
    await loras.add('carla', { path });
    const bytes = loras.list()[0]?.bytes ?? 0;
    const loaded = createLoadedAdapters(backend, loras, 2 * bytes);
    const copies = () => loras.list().map(({ memoryBytes }) => memoryBytes / bytes);
    const use = async (lora: string): Promise<void> => (await loaded.lease({ lora })).release();
    for (const name of ['anna', 'ben', 'anna', 'carla']) await use(name);
    await settle();
    expect(copies()).toEqual([1, 0, 1]);
    expect(backend.adapters.map(({ closed }) => closed)).toEqual([false, true, false]);
    const leases = [await loaded.lease({ lora: 'anna' }), await loaded.lease({ lora: 'carla' })];
    // More than it may be, as none is idle.
    await use('ben');
    await settle();
    expect(copies()).toEqual([1, 0, 1]);
    for (const { release } of leases) release();
    expect(backend.adapters).toHaveLength(4);
    await loaded.close();
    expect(copies()).toEqual([0, 0, 0]);
  });

  it('that do not fit the model are refused by name', async () => {
    const { engine, loras } = await setUp();
    await loras.add('other', { path: join(fixtures, 'tiny-v1-lm', 'lora') });
    const speaking = engine.synthesize({ text: 'hello', lora: 'other' });
    const misfit = 'LoRA adapter "other" does not fit model "fake": no matrix residual_lm';
    await expectError(speaking, 'UNSUPPORTED_PARAMETER', misfit);
  });

  it('are refused when they are added if they do not fit', async () => {
    const { engine, backend, loras } = await setUp();
    await expect(engine.loras?.add('other', { path: join(fixtures, 'tiny-v1-lm', 'lora') })).rejects.toThrow(
      'LoRA adapter "other" does not fit model "fake"',
    );
    await engine.loras?.add('own', { path });
    expect(loras.list().map(({ name, memoryBytes }) => `${name} ${memoryBytes}`)).toEqual(['anna 0', 'ben 0', 'own 0']);
    expect(backend.adapters.map(({ closed }) => closed)).toEqual([true]);
    const plain = await setUp({ adapters: 'none' });
    await expect(plain.engine.loras?.tryOut('anna')).rejects.toThrow('LoRA adapters need a GGUF model');
  });

  it('are checked before anything is computed', async () => {
    const { engine } = await setUp();
    const check = (fields: object) => () => engine.check({ text: 'hello', ...fields });
    expect(check({ lora: 'anne' })).toThrow('unknown LoRA adapter "anne" (available: anna, ben); did you mean "anna"?');
    expect(check({ loraWeight: 1 })).toThrow('a LoRA weight needs the name of an adapter');
    expect(check({ lora: 'anna', loraWeight: 5 })).toThrow('loraWeight must be a number from 0 to 4, got 5');
    expect(check({ lora: 'anna' })()).toBe('speech');
    const plain = await setUp({ adapters: 'none' });
    expect(() => plain.engine.check({ text: 'hello', lora: 'anna' })).toThrow('LoRA adapters need a GGUF model');
  });
});

describe('a catalog', () => {
  it.each<[string, object, string]>([
    ['.hidden', { path }, 'name must be 1 to 64 letters'],
    ['a b', { path }, 'name must be 1 to 64 letters'],
    ['a', { path: '' }, 'path must be the path of a LoRA adapter'],
    ['a', { path, weight: -1 }, 'weight must be a number from 0 to 4, got -1'],
    ['a', { path, alpha: 0 }, 'alpha must be a positive number, got 0'],
    ['a', { path, other: 1 }, 'unknown field "other"'],
    ['a', { path: '/nowhere' }, 'no such LoRA adapter: /nowhere'],
  ])('refuses %s %o', async (name, options, message) => {
    const loras = createAdapterCatalog();
    await expect(loras.add(name, options as { path: string })).rejects.toThrow(message);
    expect(loras.list()).toEqual([]);
  });

  it('refuses a name twice, also at once', async () => {
    const loras = createAdapterCatalog();
    const results = await Promise.allSettled([loras.add('a', { path }), loras.add('a', { path })]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(loras.add('a', { path })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(() => loras.remove('b')).toThrow('unknown LoRA adapter "b" (available: a)');
  });
});
