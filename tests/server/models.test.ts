/** Several models behind one server: names, loading, waiting, voices. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createEngineFromBackend } from '../../src/engine/engine.ts';
import { createModelNames } from '../../src/model-pool/model-names.ts';
import { createModelPool, type ModelPool, type ModelPoolOptions } from '../../src/model-pool/model-pool.ts';
import { digestOf, findAmong } from '../../src/server/http/api-keys.ts';
import { createFakeBackend, type FakeBackend } from '../engine/fake-backend.ts';
import { presets } from '../presets.ts';
import { eventually } from '../support/eventually.ts';
import { freshFolder } from '../support/test-folder.ts';
import { errorOf, post, type StartOptions, wavOf } from './start-server.ts';
import { expectError, freshServer } from './test-server.ts';

const rates: Readonly<Record<string, number>> = { small: 16_000, large: 48_000 };

const server = freshServer();
let pool: ModelPool;
let opened: string[];
/** Backends of the models that were opened. */
let backends: FakeBackend[];
/** Called during each load. */
let whileOpening: () => Promise<void>;

afterEach(() => pool?.close());
const folder = freshFolder();
beforeEach(async () => {
  opened = [];
  backends = [];
  whileOpening = async () => undefined;
  for (const name of Object.keys(rates)) await writeFile(folder.join(`${name}.gguf`), name);
});

async function start(options: StartOptions = {}, poolOptions: Partial<ModelPoolOptions> = {}): Promise<void> {
  const names = Object.keys(rates);
  await server.start({
    ...options,
    async models(logger, metrics) {
      pool = await createModelPool({
        models: names.map((name) => ({
          name,
          path: folder.join(`${name}.gguf`),
          async open() {
            opened.push(name);
            await whileOpening();
            const outputSampleRate = rates[name] as number;
            // Different shapes of patches: voices of one do not fit the other.
            const info = { name, outputSampleRate, featureDim: name === 'small' ? 3 : 4, inputPatchSamples: 640 };
            const backend = createFakeBackend({ stopAt: 4, firstLevel: 0.1, info });
            backends.push(backend);
            return createEngineFromBackend(backend, { maxBatch: 4 });
          },
        })),
        names: createModelNames({ names, aliases: new Map([['tts-1', 'large']]), match: 'exact' }),
        keepAlive: 60_000,
        logger,
        onLoad: metrics.loaded,
        onUnload: metrics.unloaded,
        ...poolOptions,
      });
      return pool;
    },
  });
}

/** The fields of several answers. */
interface Answer {
  readonly state: string;
  readonly models: readonly { readonly requests: number; readonly expires_at: string }[];
  readonly data: readonly { readonly id: string }[];
}

const get = async (path: string): Promise<Answer> => (await server.fetch(path)).json() as Promise<Answer>;
const rateOf = async (body: object): Promise<string | number> => {
  const response = await server.speak({ input: 'hello', response_format: 'wav', ...body });
  await response.arrayBuffer();
  return response.status === 200 ? Number(response.headers.get('X-Sample-Rate')) : response.status;
};

describe('a request for speech', () => {
  it('chooses its model by name or alias, and gets the first one without', async () => {
    await start();
    expect(opened).toEqual([]);
    expect(await rateOf({})).toBe(16_000);
    expect(await rateOf({ model: 'large' })).toBe(48_000);
    expect(await rateOf({ model: 'tts-1' })).toBe(48_000);
    expect(opened).toEqual(['small', 'large']);
    const refused = await server.speak({ input: 'hello', model: 'huge' });
    await expectError(refused, 404, {
      param: 'model',
      message: 'unknown model "huge" (available: small, large, tts-1)',
    });
  });

  it('chooses it by form or URL too, where unknown names are ignored', async () => {
    await start();
    const rate = async (query: string) => {
      const response = await server.fetch(`/tts?input=hello&response_format=wav&${query}`);
      await response.arrayBuffer();
      return response.headers.get('X-Sample-Rate');
    };
    expect([await rate('model=large&keep_alive=5m'), await rate('model=voxcpm'), await rate('')]).toEqual([
      '48000',
      '16000',
      '16000',
    ]);
    // As forms send fields that were not filled in.
    expect(await rate('model=&keep_alive=')).toBe('16000');
  });

  it('sets how long the model stays loaded', async () => {
    await start();
    expect(await rateOf({ keep_alive: 0 })).toBe(16_000);
    await eventually(async () => (await get('/v1/models/small')).state === 'unloaded', 'unloaded');
    const refused = await server.speak({ input: 'hello', keep_alive: 'soon' });
    await expectError(refused, 400, {
      param: 'keep_alive',
      message: expect.stringMatching(/^keep_alive must be a duration such as 10m .*, got "soon"$/),
    });
  });
});

describe('requests for a model that is loading', () => {
  let load: () => void;
  beforeEach(() => {
    const loading = new Promise<void>((resolve) => {
      load = resolve;
    });
    whileOpening = () => loading;
  });

  it('wait in the queue, which refuses more than fit', async () => {
    await start({ slots: 1, maxWaiting: 1 });
    const answers = [rateOf({}), rateOf({})];
    await eventually(async () => (await get('/status')).models[0]?.requests === 2, 'both wait');
    expect(await get('/health')).toMatchObject({ queue_waiting: 2, loaded_models: [], model: 'small', device: null });
    expect(await rateOf({})).toBe(503);
    load();
    expect(await Promise.all(answers)).toEqual([16_000, 16_000]);
    expect(opened).toEqual(['small']);
    expect(server.log.join('')).toMatch(/"model":"small".*"loading model"/);
  });

  it('can be canceled, and end when their clients disconnect', async () => {
    await start();
    const gone = new AbortController();
    const left = server.speak({ input: 'hello' }, { signal: gone.signal });
    left.catch(() => undefined);
    const canceled = server.speak({ input: 'hello' }, { headers: { 'X-Request-Id': 'mine' } });
    await eventually(async () => (await get('/status')).models[0]?.requests === 2, 'both wait');
    gone.abort();
    await expect(left).rejects.toThrow();
    await eventually(async () => (await get('/status')).models[0]?.requests === 1, 'one waits');
    await server.post('/v1/audio/speech/cancel', { job_id: 'mine' });
    expect((await canceled).status).toBe(499);
    expect(await get('/status')).toMatchObject({ queue_waiting: 0 });
    load();
    expect(await rateOf({})).toBe(16_000);
  });

  it('are served before the server shuts down', async () => {
    await start();
    const answer = rateOf({});
    await eventually(async () => (await get('/status')).models[0]?.requests === 1, 'it waits');
    const closing = server.close(5_000);
    const isClosing = (): Promise<boolean> =>
      server.fetch('/healthz').then(
        () => false,
        () => true,
      );
    await eventually(isClosing, 'no more connections are accepted');
    load();
    expect(await answer).toBe(16_000);
    await closing;
  });

  it('get the reason when it fails, and later ones try again', async () => {
    whileOpening = async () => {
      throw Object.assign(new Error(`${folder.path}/small.gguf: not a GGUF file`), { code: 'MODEL_INVALID' });
    };
    await start();
    const response = await server.speak({ input: 'hello' });
    expect([response.status, response.headers.get('Retry-After'), (await errorOf(response)).message]).toEqual([
      503,
      '5',
      'cannot load model "small": …/small.gguf: not a GGUF file',
    ]);
    whileOpening = async () => undefined;
    expect(await rateOf({})).toBe(16_000);
  });
});

describe('a client with an API key', () => {
  const keys = [{ name: 'anna', concurrencyLimit: 1 }, { name: 'ben' }];
  const findKey = findAmong(keys.map((key) => ({ ...key, digest: digestOf(`key-of-${key.name}`) })));
  const bearer = (name: string) => ({ Authorization: `Bearer key-of-${name}` });
  const speakAs = (name: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    server.speak({ input: 'hello' }, { headers: { ...bearer(name), ...headers } });
  const cancelAs = async (name: string): Promise<unknown> => {
    const answer = await server.post('/v1/audio/speech/cancel', { job_id: 'mine' }, { headers: bearer(name) });
    return ((await answer.json()) as { readonly cancelled: unknown }).cancelled;
  };
  const requests = async (): Promise<number | undefined> => {
    const answer = await server.fetch('/status', { headers: bearer('ben') });
    return ((await answer.json()) as Answer).models[0]?.requests;
  };

  it('waits for a model within the limit of the key, and only that key can cancel it', async () => {
    let load = (): void => undefined;
    const loading = new Promise<void>((resolve) => {
      load = resolve;
    });
    whileOpening = () => loading;
    await start({ settings: { findKey, hosts: 'any' } });
    const waiting = speakAs('anna', { 'X-Request-Id': 'mine' });
    await eventually(async () => (await requests()) === 1, 'it waits');
    const loadRequest = await server.post('/v1/models/large/load', {}, { headers: bearer('anna') });
    expect([(await speakAs('anna')).status, loadRequest.status]).toEqual([429, 429]);
    const other = speakAs('ben');
    await eventually(async () => (await requests()) === 2, 'the other waits too');
    expect(await cancelAs('ben')).toEqual([]);
    expect(await cancelAs('anna')).toEqual([expect.any(Number)]);
    expect((await waiting).status).toBe(499);
    const next = speakAs('anna');
    await eventually(async () => (await requests()) === 2, 'the place is free again');
    load();
    const answers = await Promise.all([other, next]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    const again = await speakAs('anna');
    expect([again.status, (await again.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
  });

  it('may load and unload models, which others may only list', async () => {
    await start({ settings: { findKey, hosts: 'any', lists: 'public' } });
    const status = async (path: string, init?: RequestInit) => (await server.fetch(path, init)).status;
    expect(await status('/v1/models')).toBe(200);
    for (const path of ['/status', '/health', '/v1/models/small']) expect(await status(path)).toBe(401);
    for (const [change, state] of [
      ['load', 'loaded'],
      ['unload', 'unloaded'],
    ]) {
      const url = `${server.url}/v1/models/small/${change}`;
      expect((await post(url, {})).status).toBe(401);
      const changed = await post(url, {}, { headers: bearer('ben') });
      expect([changed.status, await changed.json()]).toMatchObject([200, { state }]);
    }
  });
});

describe('all models', () => {
  it('speak the words of the lexicon', async () => {
    await start({ settings: { lexicon: [{ written: 'gif', spoken: 'jif' }] } });
    await rateOf({ input: 'gif' });
    await rateOf({ input: 'gif', model: 'large' });
    await rateOf({ input: 'jif', model: 'large' });
    const [small, large, plain] = backends.flatMap(({ prefixes }) => prefixes.map(({ tokens }) => [...tokens]));
    expect([small, large]).toEqual([plain, plain]);
  });
});

describe('the models', () => {
  it('are listed with their aliases and states', async () => {
    await start();
    await rateOf({ model: 'large' });
    const { data } = await get('/v1/models');
    expect(data).toMatchObject([
      { id: 'small', alias_of: null, state: 'unloaded', sample_rate: null },
      { id: 'large', alias_of: null, state: 'loaded', sample_rate: 48_000 },
      { id: 'tts-1', alias_of: 'large', state: 'loaded' },
    ]);
    expect(await get('/v1/models/tts-1')).toEqual(data[2]);
    expect((await server.fetch('/v1/models/huge')).status).toBe(404);
    expect(await get('/health')).toMatchObject({ model: 'small', loaded_models: ['large'], initialized: true });
  });

  it('are loaded and unloaded on request', async () => {
    await start();
    const change = async (path: string, body: object = {}) => (await server.post(`/v1/models/${path}`, body)).json();
    const before = Date.now();
    expect(await change('tts-1/load', { keep_alive: '1h' })).toMatchObject({ id: 'tts-1', state: 'loaded' });
    const [, large] = (await get('/status')).models;
    const expiry = Date.parse(large?.expires_at ?? '');
    expect(expiry).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(expiry).toBeLessThanOrEqual(Date.now() + 3_600_000);
    expect(large).toMatchObject({ name: 'large', aliases: ['tts-1'], state: 'loaded', requests: 0, device: 'fake' });
    expect(await change('large/unload')).toMatchObject({ id: 'large', state: 'unloaded' });
    expect((await server.post('/v1/models/huge/load', {})).status).toBe(404);
    const metrics = await (await server.fetch('/metrics')).text();
    for (const line of [
      'svc_model_loads_total{model="large",result="loaded"} 1',
      'svc_model_unloads_total{model="large",reason="request"} 1',
      'svc_model_loaded{model="large"} 0',
      'svc_model_requests{model="small"} 0',
    ])
      expect(metrics).toContain(line);
  });

  it('count their audio', async () => {
    await start();
    await rateOf({ model: 'large' });
    const metrics = await (await server.fetch('/metrics')).text();
    expect(metrics).toMatch(/svc_audio_seconds_total\{model="large"\} 0\.0/);
  });

  it('that are always loaded refuse to be unloaded', async () => {
    await server.start();
    const refused = await server.post('/v1/models/fake/unload', {});
    await expectError(refused, 409, 'model "fake" is always loaded; start svc serve with --keep-alive to unload it');
    const loaded = await server.post('/v1/models/fake/load', {});
    expect(await loaded.json()).toMatchObject({ id: 'fake', state: 'loaded' });
  });
});

describe('a voice', () => {
  const upload = (fields: Readonly<Record<string, string>>): Promise<Response> =>
    server.send('/v1/voices', { id: 'anna', text: 'hello there', ...fields, audio: wavOf(1) });

  it('is encoded for the first model, and for others when they use it', async () => {
    await start();
    expect(await (await upload({})).json()).toMatchObject({ id: 'anna', models: ['small'], feat_dim: 3 });
    expect(await rateOf({ voice: 'anna', model: 'large' })).toBe(48_000);
    expect((await get('/v1/voices/anna')).models).toEqual(['small', 'large']);
  });

  it('is encoded for the model that the upload names', async () => {
    await start();
    expect(await (await upload({ model: 'tts-1' })).json()).toMatchObject({ models: ['large'], feat_dim: 4 });
    const encoded = await server.post('/v1/voices/anna/encode?model=small', {});
    expect(await encoded.json()).toMatchObject({ models: expect.arrayContaining(['small', 'large']) });
    expect((await upload({ id: 'ben', model: 'huge' })).status).toBe(404);
  });

  it('of a recording loads the first model at the start only when it is new', async () => {
    const voiceFiles = async (into: string): Promise<void> => {
      await writeFile(join(into, 'carl.wav'), wavOf(1));
      await writeFile(join(into, 'carl.txt'), 'What Carl says.');
    };
    await start({ voiceFiles });
    expect(opened).toEqual(['small']);
    await server.close();
    opened = [];
    await start();
    expect(opened).toEqual([]);
    const { data } = await get('/v1/voices');
    expect(data.map(({ id }) => id)).toEqual(presets);
  });
});
