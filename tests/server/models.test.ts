/** Several models behind one server: names, loading, waiting, voices. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { fakeModels } from '../model-pool/fake-models.ts';
import { presets } from '../presets.ts';
import { eventually } from '../support/eventually.ts';
import { createGate, type Gate } from '../support/gate.ts';
import { bearer, bytesOf, read, type StartOptions, startServer, statusAndJson, wavOf } from './start-server.ts';
import { expectError, freshServer } from './test-server.ts';

const rates: Readonly<Record<string, number>> = { small: 16_000, large: 48_000 };

const server = freshServer((options: StartOptions = {}) =>
  startServer({
    ...options,
    models: (logger, { loaded: onLoad, unloaded: onUnload }) =>
      models.open({ aliases: { 'tts-1': 'large' }, logger, onLoad, onUnload }),
  }),
);
// Different shapes of patches: voices of one do not fit the other.
const models = fakeModels(Object.keys(rates), (name) => ({
  ...{ stopAt: 4, firstLevel: 0.1 },
  info: { outputSampleRate: rates[name] as number, featureDim: name === 'small' ? 3 : 4, inputPatchSamples: 640 },
}));

/** The fields of several answers. */
interface Answer {
  readonly state: string;
  readonly models: readonly { readonly requests: number; readonly expires_at: string }[];
  readonly data: readonly { readonly id: string }[];
}

const get = (path: string): Promise<Answer> => server.json<Answer>(path);
/** Waits until so many requests use, or wait for, the first model. */
const awaited = (count: number): Promise<void> =>
  eventually(async () => (await get('/status')).models[0]?.requests === count, `${count} requests`);
const rateOf = async (body: object): Promise<string | number> => {
  const response = await read(server.speak({ input: 'hello', response_format: 'wav', ...body }));
  return response.status === 200 ? Number(response.headers.get('X-Sample-Rate')) : response.status;
};

describe('a request for speech', () => {
  it('chooses its model by name or alias, and gets the first one without', async () => {
    await server.start();
    expect(models.opened).toEqual([]);
    expect(await rateOf({})).toBe(16_000);
    expect(await rateOf({ model: 'large' })).toBe(48_000);
    expect(await rateOf({ model: 'tts-1' })).toBe(48_000);
    expect(models.opened).toEqual(['small', 'large']);
    const message = 'unknown model "huge" (available: small, large, tts-1)';
    await expectError(server.speak({ input: 'hello', model: 'huge' }), 404, { param: 'model', message });
  });

  it('chooses it by form or URL too, where unknown names are ignored', async () => {
    const rate = async (query: string) => {
      return (await read(server.fetch(`/tts?input=hello&response_format=wav&${query}`))).headers.get('X-Sample-Rate');
    };
    const rates = [await rate('model=large&keep_alive=5m'), await rate('model=voxcpm'), await rate('')];
    expect(rates).toEqual(['48000', '16000', '16000']);
    // As forms send fields that were not filled in.
    expect(await rate('model=&keep_alive=')).toBe('16000');
  });

  it('sets how long the model stays loaded', async () => {
    expect(await rateOf({ keep_alive: 0 })).toBe(16_000);
    await eventually(async () => (await get('/v1/models/small')).state === 'unloaded', 'unloaded');
    const message = /^keep_alive must be a duration such as 10m .*, got "soon"$/;
    await expectError(server.speak({ input: 'hello', keep_alive: 'soon' }), 400, { param: 'keep_alive', message });
  });
});

describe('requests for a model that is loading', () => {
  let loading: Gate;
  beforeEach(() => {
    loading = createGate();
    models.whileOpening = () => loading.passed;
  });

  it('wait in the queue, which refuses more than fit', async () => {
    await server.start({ slots: 1, maxWaiting: 1 });
    const answers = [rateOf({}), rateOf({})];
    await awaited(2);
    expect(await get('/health')).toMatchObject({ queue_waiting: 2, loaded_models: [], model: 'small', device: null });
    expect(await rateOf({})).toBe(503);
    loading.open();
    expect(await Promise.all(answers)).toEqual([16_000, 16_000]);
    expect(models.opened).toEqual(['small']);
    expect(server.log.join('')).toMatch(/"model":"small".*"loading model"/);
  });

  it('can be canceled, and end when their clients disconnect', async () => {
    const gone = new AbortController();
    const left = server.speak({ input: 'hello' }, { signal: gone.signal });
    left.catch(() => undefined);
    const canceled = server.speak({ input: 'hello' }, { headers: { 'X-Request-Id': 'mine' } });
    await awaited(2);
    gone.abort();
    await expect(left).rejects.toThrow();
    await awaited(1);
    await server.post('/v1/audio/speech/cancel', { job_id: 'mine' });
    expect((await canceled).status).toBe(499);
    expect(await get('/status')).toMatchObject({ queue_waiting: 0 });
    loading.open();
    expect(await rateOf({})).toBe(16_000);
  });

  it('are served before the server shuts down', async () => {
    const answer = rateOf({});
    await awaited(1);
    const closing = server.close(5_000);
    const isClosing = (): Promise<boolean> =>
      server.fetch('/healthz').then(
        () => false,
        () => true,
      );
    await eventually(isClosing, 'no more connections are accepted');
    loading.open();
    expect(await answer).toBe(16_000);
    await closing;
  });

  it('get the reason when it fails, and later ones try again', async () => {
    models.whileOpening = async () => {
      throw Object.assign(new Error(`${models.folder.path}/small.gguf: not a GGUF file`), { code: 'MODEL_INVALID' });
    };
    const response = await server.speak({ input: 'hello' });
    expect(response.headers.get('Retry-After')).toBe('5');
    await expectError(response, 503, 'cannot load model "small": …/small.gguf: not a GGUF file');
    models.whileOpening = async () => undefined;
    expect(await rateOf({})).toBe(16_000);
  });
});

describe('a client with an API key', () => {
  const keys = { anna: { concurrencyLimit: 1 }, ben: {} };
  const speakAs = (name: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    server.speak({ input: 'hello' }, { headers: { ...bearer(name).headers, ...headers } });
  const cancelAs = (name: string) =>
    statusAndJson(server.post('/v1/audio/speech/cancel', { job_id: 'mine' }, bearer(name)));
  const requests = async (): Promise<number | undefined> =>
    (await server.json<Answer>('/status', bearer('ben'))).models[0]?.requests;

  it('waits for a model within the limit of the key, and only that key can cancel it', async () => {
    const loading = createGate();
    models.whileOpening = () => loading.passed;
    await server.start({ settings: { keys, hosts: 'any' } });
    const waiting = speakAs('anna', { 'X-Request-Id': 'mine' });
    await eventually(async () => (await requests()) === 1, 'it waits');
    const loadRequest = await server.post('/v1/models/large/load', {}, bearer('anna'));
    expect([(await speakAs('anna')).status, loadRequest.status]).toEqual([429, 429]);
    const other = speakAs('ben');
    await eventually(async () => (await requests()) === 2, 'the other waits too');
    expect(await cancelAs('ben')).toMatchObject([200, { cancelled: [] }]);
    expect(await cancelAs('anna')).toMatchObject([200, { cancelled: [expect.any(Number)] }]);
    expect((await waiting).status).toBe(499);
    const next = speakAs('anna');
    await eventually(async () => (await requests()) === 2, 'the place is free again');
    loading.open();
    const answers = await Promise.all([other, next]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    expect((await bytesOf(speakAs('anna'))).length).toBeGreaterThan(0);
  });

  it('may load and unload models, which others may only list', async () => {
    await server.start({ settings: { keys, hosts: 'any', lists: 'public' } });
    const status = async (path: string, init?: RequestInit) => (await server.fetch(path, init)).status;
    expect(await status('/v1/models')).toBe(200);
    for (const path of ['/status', '/health', '/v1/models/small']) expect(await status(path)).toBe(401);
    for (const [change, state] of Object.entries({ load: 'loaded', unload: 'unloaded' })) {
      const path = `/v1/models/small/${change}`;
      expect((await server.post(path, {})).status).toBe(401);
      expect(await statusAndJson(server.post(path, {}, bearer('ben')))).toMatchObject([200, { state }]);
    }
  });
});

it('all models speak the words of the lexicon', async () => {
  await server.start({ settings: { lexicon: [{ written: 'gif', spoken: 'jif' }] } });
  await rateOf({ input: 'gif' });
  await rateOf({ input: 'gif', model: 'large' });
  await rateOf({ input: 'jif', model: 'large' });
  const [small, large, plain] = models.backends.flatMap(({ prefixes }) => prefixes.map(({ tokens }) => [...tokens]));
  expect([small, large]).toEqual([plain, plain]);
});

describe('the models', () => {
  it('are listed with their aliases and states', async () => {
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
    const metrics = await server.text('/metrics');
    for (const line of [
      'svc_model_loads_total{model="large",result="loaded"} 1',
      'svc_model_unloads_total{model="large",reason="request"} 1',
      'svc_model_loaded{model="large"} 0',
      'svc_model_requests{model="small"} 0',
    ])
      expect(metrics).toContain(line);
  });

  it('count their audio', async () => {
    await rateOf({ model: 'large' });
    expect(await server.text('/metrics')).toMatch(/svc_audio_seconds_total\{model="large"\} 0\.0/);
  });

  it('that are always loaded refuse to be unloaded', async () => {
    await using fixed = await startServer();
    const message = 'model "fake" is always loaded; start svc serve with --keep-alive to unload it';
    await expectError(fixed.post('/v1/models/fake/unload', {}), 409, message);
    const [, loaded] = await statusAndJson(fixed.post('/v1/models/fake/load', {}));
    expect(loaded).toMatchObject({ id: 'fake', state: 'loaded' });
  });
});

describe('a voice', () => {
  const upload = (fields: Readonly<Record<string, string>>): Promise<Response> =>
    server.send('/v1/voices', { id: 'anna', text: 'hello there', ...fields, audio: wavOf(1) });

  it('is encoded for the first model, and for others when they use it', async () => {
    expect(await (await upload({})).json()).toMatchObject({ id: 'anna', models: ['small'], feat_dim: 3 });
    expect(await rateOf({ voice: 'anna', model: 'large' })).toBe(48_000);
    expect((await get('/v1/voices/anna')).models).toEqual(['small', 'large']);
  });

  it('is encoded for the model that the upload names', async () => {
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
    await server.start({ voiceFiles });
    expect(models.opened).toEqual(['small']);
    await server.close();
    await server.start();
    expect(models.opened).toEqual(['small']);
    const { data } = await get('/v1/voices');
    expect(data.map(({ id }) => id)).toEqual(presets);
  });
});
