import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type AdapterCatalog, createAdapterCatalog } from '../../src/engine/lora/adapter-catalog.ts';
import { eventually } from '../support/eventually.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { bytesOf, errorOf, type StartOptions, statusAndJson } from './start-server.ts';
import { expectError, freshServer } from './test-server.ts';

/** Fits the fake backend. */
const adapter = new URL('../fixtures/lora/tiny-v1-dit/lora', import.meta.url).pathname;

const folder = sharedFolder();
const server = freshServer({ backend: { adapters: 'supported', firstLevel: 1 }, settings: { loraFolder: folder } });
let loras: AdapterCatalog;

await cp(adapter, join(folder, 'anna'), { recursive: true });
await mkdir(join(folder, 'broken'));
await writeFile(join(folder, 'broken', 'lora_weights.safetensors'), 'nothing');
await mkdir(join(folder, 'empty'));
const fixtures = new URL('../fixtures/lora/', import.meta.url).pathname;
await cp(join(fixtures, 'tiny-v1-lm', 'lora'), join(folder, 'other'), { recursive: true });
await cp(join(adapter, 'lora_weights.safetensors'), join(folder, 'bare', 'lora_weights.safetensors'));
await symlink(adapter, join(folder, 'outside'));
for (const name of ['lora_weights.safetensors', 'lora_config.json']) {
  const own = join(folder, `linked-${name}`);
  await cp(adapter, own, { recursive: true });
  await rm(join(own, name));
  await symlink(join(adapter, name), join(own, name));
}

beforeEach(() => start());

async function start(options: StartOptions = {}): Promise<void> {
  loras = createAdapterCatalog();
  await loras.add('ben', { path: adapter, weight: 0.5, alpha: 3 });
  await server.start({ loras, ...options });
}

const load = (body: object, path = '/v1/loras'): Promise<Response> => server.post(path, body);

/** Scale and weight of the adapter of each session. */
const used = (): unknown[] =>
  server.backend.opened.map(({ use }) => {
    const found = server.backend.adapters.find((one) => one === use?.adapter);
    return found ? [found.weights.scale, use?.weight] : null;
  });

describe('/v1/loras', () => {
  it('loads, lists and unloads', async () => {
    const record = { id: 'anna', object: 'lora', weight: 2, rank: 3, alpha: 6, base_model: 'tiny-v1', memory_bytes: 0 };
    expect(await statusAndJson(load({ name: 'anna', path: 'anna', weight: 2 }))).toMatchObject([201, record]);
    expect((await server.speak({ input: 'hello', lora: 'anna' })).status).toBe(200);
    const listed = await server.json('/v1/loras');
    expect(listed).toMatchObject({ data: [{ id: 'ben' }, { id: 'anna', memory_bytes: expect.any(Number) }] });
    const { loras: shown } = await server.json<{ loras: { memory_bytes: number }[] }>('/status');
    expect(shown[1]?.memory_bytes).toBeGreaterThan(10_000);
    expect(await server.text('/metrics')).toContain(`svc_lora_memory_bytes{lora="anna"} ${shown[1]?.memory_bytes}`);
    expect(await (await server.remove('/v1/loras/anna')).json()).toEqual({ id: 'anna', deleted: true });
    expect(await server.text('/metrics')).not.toContain('lora="anna"');
    await expectError(server.remove('/v1/loras/anna'), 404, { code: 'lora_not_found' });
  });

  it('speaks like nano-vLLM at /loras', async () => {
    expect(await (await load({ name: 'anna', path: join(folder, 'anna') }, '/loras')).json()).toEqual({ name: 'anna' });
    expect(await server.json('/loras')).toEqual([{ name: 'ben' }, { name: 'anna' }]);
    expect((await server.speak({ input: 'hello', lora_name: 'anna' })).status).toBe(200);
    expect(used()).toEqual([[2, 1]]);
    expect(await (await server.remove('/loras/anna')).json()).toEqual({ name: 'anna' });
  });

  it.each<[string, object, number, RegExp]>([
    ['a path outside of the folder', { path: adapter }, 403, /^path is not in the server's folder/],
    ['a way out of the folder', { path: '../../etc' }, 403, /folder of LoRA adapters$/],
    ['a link out of the folder', { path: 'outside' }, 403, /folder of LoRA adapters$/],
    ['a link to weights outside', { path: 'linked-lora_weights.safetensors' }, 403, /^path has a link out of/],
    ['a link to a configuration outside', { path: 'linked-lora_config.json' }, 403, /^path has a link out of/],
    ['a missing path', { path: 'none' }, 403, /folder of LoRA adapters$/],
    ['an empty folder', { path: 'empty' }, 400, /^path: "empty" is not a LoRA adapter/],
    ['a broken file', { path: 'broken' }, 400, /^path: .*not a safetensors file/],
    ['a strange name', { name: '../a', path: 'anna' }, 400, /^name must be 1 to 64 letters/],
    ['a strange weight', { path: 'anna', weight: 9 }, 400, /^weight must be a number from 0 to 4, got 9/],
    ['a name twice', { name: 'ben', path: 'anna' }, 409, /^LoRA adapter "ben" already exists/],
    ['an adapter of another size', { path: 'other' }, 400, /^LoRA adapter "a" does not fit model "fake"/],
    ['an unknown alpha', { path: 'bare' }, 400, /^alpha is required: no lora_config.json/],
    ['an unknown field', { path: 'anna', wieght: 2 }, 400, /^unknown field "wieght" .*did you mean "weight"/],
    ['no path', {}, 400, /^path is required/],
  ])('refuses %s', async (_, body, status, message) => {
    const response = await load({ name: 'a', ...body });
    expect(response.status).toBe(status);
    const { message: given } = await errorOf(response);
    expect(given).toMatch(message);
    expect(given).not.toContain(folder);
    expect(loras.list()).toHaveLength(1);
  });

  it('loads one at a time, and no more than it may', async () => {
    let running = 0;
    let most = 0;
    const { add } = loras;
    Object.assign(loras, {
      async add(...given: Parameters<typeof add>) {
        running += 1;
        most = Math.max(most, running);
        // The others, which were sent before, have arrived when this is answered.
        await server.fetch('/health');
        return add(...given).finally(() => {
          running -= 1;
        });
      },
    });
    const leaving = new AbortController();
    const answers = Array.from({ length: 9 }, (_, index) => load({ name: `a${index}`, path: 'anna' }));
    const left = server.post('/loras', { name: 'left', path: 'anna' }, { signal: leaving.signal });
    leaving.abort();
    await expect(left).rejects.toThrow();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect([most, statuses.filter((status) => status === 201).length]).toEqual([1, 9]);
    const many = await Promise.all(Array.from({ length: 16 }, (_, index) => load({ name: `b${index}`, path: 'anna' })));
    expect(many.filter(({ status }) => status === 503)).not.toEqual([]);
    expect([most, loras.list().some(({ name }) => name === 'left')]).toEqual([1, false]);
    for (let index = 0; loras.list().length < 64; index += 1) await loras.add(`c${index}`, { path: adapter });
    const refused = await load({ name: 'another', path: 'anna' });
    await expectError(refused, 409, 'the server has 64 LoRA adapters, its limit; unload one first');
  });

  it('loads nothing without a folder, and nothing without the key', async () => {
    await start({ settings: { loraFolder: undefined } });
    const path = join(folder, 'anna');
    const message = 'path is not available: the server was started without --lora-dir';
    await expectError(load({ name: 'a', path }), 403, message);
    await start({ settings: { apiKey: 'secret' } });
    expect((await load({ name: 'a', path: 'anna' })).status).toBe(401);
    expect((await server.remove('/loras/ben')).status).toBe(401);
    expect((await server.fetch('/v1/loras')).status).toBe(401);
  });
});

describe('speech with an adapter', () => {
  it('is chosen by each of several requests at once', async () => {
    await load({ name: 'anna', path: 'anna' });
    const bodies = [{ lora: 'anna', lora_weight: 1.5 }, { lora: 'ben' }, {}];
    const answers = await Promise.all(bodies.map((body) => server.speak({ input: 'hello', ...body })));
    await Promise.all(answers.map(bytesOf));
    expect(used()).toEqual(expect.arrayContaining([[2, 1.5], [1, 0.5], null]));
  });

  it('is available in forms and to clients of ElevenLabs', async () => {
    const form = new URLSearchParams({ input: 'hello', lora: 'ben', lora_weight: '2' });
    expect((await server.fetch(`/tts?${form}`)).status).toBe(200);
    const body = { text: 'hello', lora: 'ben' };
    const answer = await server.post('/v1/text-to-speech/default', body);
    expect([answer.status, answer.headers.get('Warning')]).toEqual([200, null]);
    expect(used()).toEqual([
      [1, 2],
      [1, 0.5],
    ]);
  });

  it.each([
    [{ lora: 'none' }, 'lora', 'unknown LoRA adapter "none" (available: ben)'],
    [{ lora: 'ben', lora_weight: 5 }, 'lora_weight', 'lora_weight must be a number from 0 to 4, got 5'],
    [{ lora_weight: 1 }, 'lora_weight', 'lora_weight needs the name of an adapter in lora'],
    [{ lora: 1 }, 'lora', 'lora must be a string, got 1'],
  ])('refuses %o', async (fields, param, message) => {
    await expectError(server.speak({ input: 'hello', ...fields }), 400, { param, message });
  });

  it('may be the default, which a request can leave', async () => {
    await start({ settings: { defaultLora: 'ben' } });
    for (const fields of [{}, { lora: '' }]) await server.hear({ input: 'hello', ...fields });
    expect(used()).toEqual([[1, 0.5], null]);
    const message = 'LoRA adapter "ben" is the default of this server (--default-lora)';
    await expectError(server.remove('/v1/loras/ben'), 409, { code: 'conflict', message });
    expect((await server.speak({ input: 'hello' })).status).toBe(200);
    await expect(start({ settings: { defaultLora: 'eve' } })).rejects.toThrow(
      '--default-lora: unknown LoRA adapter "eve"',
    );
  });

  it('is refused without a path when the files are gone or lead elsewhere', async () => {
    const own = join(folder, 'own');
    await cp(adapter, own, { recursive: true });
    await load({ name: 'own', path: 'own' });
    await rm(own, { recursive: true });
    const speak = () => server.speak({ input: 'hello', lora: 'own' });
    const missing = 'the files of LoRA adapter "own" are missing; unload it and load it again';
    await expectError(speak(), 400, { param: 'lora', message: missing });
    await cp(join(folder, 'linked-lora_weights.safetensors'), own, { recursive: true, verbatimSymlinks: true });
    await expectError(speak(), 400, { param: 'lora', message: /^the files of LoRA adapter "own" have changed/ });
    // Adding it tried it out.
    expect(server.backend.adapters.map(({ closed }) => closed)).toEqual([true]);
    await rm(own, { recursive: true });
  });

  it('waits with the adapter that had the name when it was accepted', async () => {
    await start({ slots: 1 });
    const { answer: first, release } = await server.occupy({ input: 'hello' });
    const replaced = server.speak({ input: 'hello', lora: 'ben' });
    await eventually(() => loras.list()[0]?.requests === 1, 'the second request waits');
    const leaving = new AbortController();
    const left = server.speak({ input: 'hello', lora: 'ben' }, { signal: leaving.signal });
    await eventually(() => loras.list()[0]?.requests === 2, 'the third request waits');
    leaving.abort();
    await expect(left).rejects.toThrow();
    await eventually(() => loras.list()[0]?.requests === 1, 'the third request is gone');
    await server.remove('/v1/loras/ben');
    expect((await load({ name: 'ben', path: 'anna', weight: 3 })).status).toBe(201);
    const current = server.speak({ input: 'hello', lora: 'ben' });
    await eventually(() => loras.list()[0]?.requests === 1, 'the fourth request waits');
    await server.remove('/v1/loras/ben');
    release();
    for (const answer of [first, replaced, current]) expect((await bytesOf(answer)).length).toBeGreaterThan(0);
    expect(used()).toEqual([null, [1, 0.5], [2, 3]]);
    await eventually(() => server.backend.adapters.every(({ closed }) => closed), 'the adapters are freed');
  });

  it('ends although the adapter is unloaded meanwhile', async () => {
    const release = server.backend.hold();
    const answer = server.speak({ input: 'hello', lora: 'ben', response_format: 'wav' });
    await eventually(() => loras.list()[0]?.requests === 1, 'the request runs');
    expect((await server.remove('/v1/loras/ben')).status).toBe(200);
    const refused = await server.speak({ input: 'hello', lora: 'ben' });
    expect((await errorOf(refused)).message).toBe('unknown LoRA adapter "ben" (none is loaded)');
    expect(server.backend.adapters[0]?.closed ?? false).toBe(false);
    release();
    expect((await bytesOf(answer)).length).toBeGreaterThan(44);
    await eventually(() => server.backend.adapters[0]?.closed === true, 'the adapter is freed');
  });
});
