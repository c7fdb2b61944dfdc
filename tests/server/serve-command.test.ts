import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, delimiter, join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { Io } from '../../src/cli/io.ts';
import { run } from '../../src/cli/program.ts';
import { createEngineFromBackend } from '../../src/engine/engine.ts';
import type { EngineOptions } from '../../src/engine/engine-options.ts';
import { createFakeBackend } from '../engine/fake-backend.ts';
import { says, startEndpoint } from '../recognition/fake-endpoint.ts';
import { eventually } from '../support/eventually.ts';
import { noLoudspeaker } from '../support/no-loudspeaker.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { connectWyoming } from '../wyoming/wyoming-client.ts';
import { rawRequest } from './raw-request.ts';
import { bearer, bytesOf, formOf, post, read, statusAndJson, wavOf } from './start-server.ts';

const folder = sharedFolder();

interface Served {
  readonly url: () => Promise<string>;
  readonly stop: () => Promise<number>;
  readonly done: Promise<number>;
  readonly errors: () => string;
  readonly opened: readonly EngineOptions[];
}

const json = async <Body = unknown>(url: string): Promise<Body> => (await statusAndJson<Body>(fetch(url)))[1];

/** Status of a speech. */
async function speak(url: string, fields: object = {}, init?: RequestInit): Promise<number> {
  const body = { input: 'a', response_format: 'pcm', ...fields };
  return (await read(post(`${url}/v1/audio/speech`, body, init))).status;
}
const serve = (argv: readonly string[], environment: Io['environment'] = {}): Served =>
  start(['--voice-dir', folder, ...argv], environment);

function start(argv: readonly string[], environment: Io['environment']): Served {
  const stderr = new PassThrough();
  let text = '';
  stderr.on('data', (part: Buffer) => {
    text += part.toString();
  });
  const controller = new AbortController();
  const opened: EngineOptions[] = [];
  const io: Io = {
    stdin: Object.assign(new PassThrough(), { isTTY: true }),
    stdout: new PassThrough(),
    stderr,
    signal: controller.signal,
    environment,
    loudspeaker: noLoudspeaker,
    openEngine: async (options, callbacks) => {
      opened.push(options);
      const backend = createFakeBackend({ stopAt: 4, info: { inputPatchSamples: 640 } });
      return createEngineFromBackend(backend, { maxBatch: 1, ...callbacks });
    },
  };
  const done = run(['serve', ...argv], io);
  const address = (): string | undefined => /"url":"([^"]+)"/.exec(text)?.[1];
  return {
    url: async () => {
      await eventually(() => address() !== undefined, `listening; it said ${text}`);
      return address() as string;
    },
    stop: () => {
      controller.abort();
      return done;
    },
    done,
    errors: () => text,
    opened,
  };
}

describe('svc serve without a place for voices', () => {
  it('starts with a warning, and refuses only a new voice', async () => {
    await writeFile(join(folder, 'in-the-way'), '');
    const blocked = join(folder, 'in-the-way', 'voices.sqlite');
    const served = start(['-p', '0'], { SVC_SQLITE_PATH: blocked });
    const url = await served.url();
    expect(served.errors()).toContain('there are no stored voices, and none can be added');
    const listed = await (await fetch(`${url}/v1/voices`)).text();
    expect(listed).toContain('iris');
    const form = formOf({ id: 'anna', text: 'What she says.', audio: wavOf(1) });
    const refused = await fetch(`${url}/v1/voices`, { method: 'POST', body: form });
    const text = await refused.text();
    expect([refused.status, text]).toEqual([503, expect.stringContaining('--voice-dir')]);
    expect(text).toContain('SVC_SQLITE_PATH');
    expect(text).not.toContain(folder);
    expect((await fetch(`${url}/v1/voices/anna`, { method: 'DELETE' })).status).toBe(404);
    expect(await served.stop()).toBe(0);
  });
});

describe('svc serve', () => {
  it('listens until stopped and exits cleanly', async () => {
    const served = serve(['-p', '0', '--max-batch', '2', '--model-name', 'mine']);
    const url = await served.url();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await json(`${url}/health`)).toMatchObject({ model: 'mine', status: 'healthy' });
    expect(await speak(url, { model: 'other' })).toBe(404);
    expect(await served.stop()).toBe(0);
    expect(served.opened).toEqual([{ maxBatch: 2 }]);
    await expect(fetch(url)).rejects.toThrow();
  });

  it('loads several models when requests name them', async () => {
    const models = ['first', 'second'].flatMap((name) => ['--model', `${name}=models/demo.gguf`]);
    const served = serve(['--port', '0', '--threads', '1', '--max-batch', '2', ...models, '--alias', 'tts-1=second']);
    const url = await served.url();
    expect(served.opened).toEqual([]);
    expect([await speak(url, { model: 'tts-1' }), await speak(url, { model: 'other' })]).toEqual([200, 404]);
    expect(served.opened).toEqual([{ modelPath: resolve('models/demo.gguf'), threads: 1, maxBatch: 2 }]);
    expect(await json(`${url}/health`)).toMatchObject({ model: 'first', loaded_models: ['second'] });
    expect(await served.stop()).toBe(0);
  });

  it('checks the words of all models', async () => {
    await using endpoint = await startEndpoint(says('hello'));
    const models = ['first', 'second'].flatMap((name) => ['--model', `${name}=models/demo.gguf`]);
    const served = serve(['--port', '0', '--threads', '1', '--check-with', endpoint.url, ...models]);
    const url = await served.url();
    for (const model of ['first', 'second']) {
      const body = { input: 'hello', response_format: 'pcm', retry_badcase: true, model };
      expect((await bytesOf(post(`${url}/v1/audio/speech`, body))).length).toBeGreaterThan(0);
    }
    expect(endpoint.requests).toHaveLength(2);
    await served.stop();
  });

  it('estimates the memory of a single model', async () => {
    const served = serve(['--port', '0']);
    const { models } = await json<{ models: { memory_bytes: number | null }[] }>(`${await served.url()}/status`);
    const { size } = await stat('models/demo.gguf');
    expect(models.map(({ memory_bytes }) => memory_bytes)).toEqual([Math.round(1.1 * size + 64 * 2 ** 20)]);
    expect(await served.stop()).toBe(0);
  });

  it('loads a single model on first use only with --keep-alive', async () => {
    const always = serve(['--port', '0', '--model', 'mine=models/demo.gguf']);
    expect(await json(`${await always.url()}/health`)).toMatchObject({ loaded_models: ['mine'] });
    await always.stop();
    const later = serve(['--port', '0', '--model-path', 'models/demo.gguf', '--keep-alive', '1m']);
    const url = await later.url();
    expect(await json(`${url}/health`)).toMatchObject({ model: 'demo', loaded_models: [] });
    // As without --keep-alive, a single model answers to any name.
    await speak(url, { model: 'tts-1' });
    expect(await json(`${url}/health`)).toMatchObject({ loaded_models: ['demo'] });
    await later.stop();
  });

  it('logs in text without colors with --log-format text where there is no terminal', async () => {
    const served = serve(['--port', '0', '--log-format', 'text']);
    const address = (): string | undefined => /^Listening on (\S+) \(playground; .*\n/m.exec(served.errors())?.[1];
    await eventually(() => address() !== undefined, 'the address');
    await fetch(`${address()}/nowhere?secret=1`);
    expect(await served.stop()).toBe(0);
    expect(served.errors()).toMatch(/^\[\d\d:\d\d:\d\d\] WARN: GET \/nowhere 404 \(\d+ ms\)/m);
    for (const part of ['\u001b', 'secret', '{"level']) expect(served.errors()).not.toContain(part);
  });

  it.each([
    ['--lexicon', (files: readonly string[]) => [files.flatMap((file) => ['--lexicon', file]), {}] as const],
    ['SVC_LEXICON', (files: readonly string[]) => [[], { SVC_LEXICON: files.join(delimiter) }] as const],
  ])('says words by %s, in which the later file counts', async (_what, given) => {
    const [one, two] = [join(folder, 'one.txt'), join(folder, 'two.txt')];
    await writeFile(one, 'gif = jif\nsql = S Q L');
    await writeFile(two, 'SQL = sequel\nsql = sequel');
    const [argv, environment] = given([one, two]);
    const served = serve(['--port', '0', ...argv], environment);
    await served.url();
    expect(await served.stop()).toBe(0);
    expect(served.errors()).toMatch(/"entries":3,"msg":"lexicon loaded"/);
  });

  it.each([
    [['--default', 'normalize=on', '--default', 'speed=1.1'], { SVC_DEFAULTS: 'speed=2' }],
    [[], { SVC_DEFAULTS: 'normalize=on; speed=1.1;' }],
  ])('lists the defaults of requests with the model: %j %j', async (argv, environment) => {
    const served = serve(['--port', '0', ...argv], environment);
    const { data } = await json<{ data: object[] }>(`${await served.url()}/v1/models`);
    expect(data[0]).toMatchObject({ defaults: { normalize: true, speed: 1.1 } });
    expect(await served.stop()).toBe(0);
  });

  it.each([
    [['--api-key', 'abc'], {}, 'abc'],
    [[], { SVC_API_KEY: 'abc' }, 'abc'],
    [['--disable-auth'], { SVC_API_KEY: 'abc' }, undefined],
  ])('requires the API key of %j and %j', async (argv, environment, key) => {
    const served = serve(['--port', '0', ...argv], environment);
    const url = await served.url();
    expect((await fetch(`${url}/health`)).status).toBe(key === undefined ? 200 : 401);
    expect((await fetch(`${url}/health`, bearer(String(key)))).status).toBe(200);
    const { status: foreign } = await rawRequest(`${url}/health`, { headers: { Host: 'evil.example' } });
    expect(foreign).toBe(key === undefined ? 403 : 401);
    await served.stop();
    const ignored = '--disable-auth ignores SVC_API_KEY: no API key is required';
    expect(served.errors().includes(ignored)).toBe(key === undefined);
  });

  it('takes keys, limits and origins from options or the environment', async () => {
    const keys = join(folder, 'keys.json');
    await writeFile(keys, JSON.stringify({ anna: { key: 'key-of-anna' }, ben: { key: 'key-of-ben', rate_limit: 9 } }));
    const environment = {
      ...{ SVC_API_KEY: 'single', SVC_API_KEYS: keys, SVC_RATE_LIMIT: '7', SVC_PUBLIC_LISTS: '1', SVC_STRICT: 'true' },
      ...{ SVC_CORS_ORIGIN: 'https://a.example,moz-extension://*', SVC_TRUST_PROXY: 'loopback' },
    };
    const served = serve(['--host', '0.0.0.0', '--port', '0', '--rate-limit', '8'], environment);
    const url = (await served.url()).replace('0.0.0.0', '127.0.0.1');
    const headers = { Origin: 'moz-extension://0-1', 'X-Forwarded-For': '9.9.9.9' };
    const init = (key: string) => ({ headers: { ...bearer(key).headers, ...headers } });
    const limits: unknown[] = [];
    for (const key of ['single', 'key-of-anna', 'key-of-ben']) {
      const answer = await read(post(`${url}/v1/audio/speech`, { input: 'a' }, init(key)));
      limits.push(answer.headers.get('ratelimit-limit'));
      expect(answer.headers.get('access-control-allow-origin')).toBe('moz-extension://0-1');
    }
    expect(limits).toEqual(['8', '8', '9']);
    expect(await speak(url, { instructions: 'slowly' }, init('single'))).toBe(400);
    expect((await fetch(`${url}/v1/voices`)).status).toBe(200);
    expect((await fetch(`${url}/health`)).status).toBe(401);
    expect(await served.stop()).toBe(0);
    expect(served.errors()).toContain('"key":"ben"');
    expect(served.errors()).toContain('"remoteAddress":"9.9.9.9"');
    expect(served.errors()).not.toMatch(/key-of-|single/);
  });

  it.each([
    [['--default-voice', 'alma', '--voice-alias', 'alloy=alma', '--voice-alias', 'nova=bruno'], {}],
    [[], { SVC_DEFAULT_VOICE: 'alma', SVC_VOICE_ALIAS: 'alloy=alma, nova=bruno' }],
    [['--default-voice', 'alma'], { SVC_DEFAULT_VOICE: 'nobody', SVC_VOICE_ALIAS: 'alloy=alma,nova=bruno' }],
  ])('takes aliases and a default voice from options or the environment', async (argv, environment) => {
    const served = serve(['--port', '0', ...argv], environment);
    const voices = `${await served.url()}/v1/voices`;
    const { data } = await json<{ data: { id: string; alias_of: string | null }[] }>(voices);
    expect(data.filter(({ alias_of }) => alias_of !== null).map(({ id, alias_of }) => [id, alias_of])).toEqual([
      ['alloy', 'alma'],
      ['nova', 'bruno'],
    ]);
    expect((await fetch(`${voices}/alma`, { method: 'DELETE' })).status).toBe(403);
    expect(await served.stop()).toBe(0);
  });

  it.each(['--default-voice eve', '--voice-alias a=almao'])('refuses to start with %s', async (option) => {
    const served = serve(['--port', '0', ...option.split(' ')]);
    expect(await served.done).toBe(3);
    const name = option.split(/[ =]/).at(-1);
    const message = new RegExp(`${option}: unknown voice "${name}" \\(available: .*see 'svc voices list'\\)`);
    expect(served.errors()).toMatch(message);
  });

  it('serves HTTPS', async () => {
    const [cert, key] = ['crt', 'key'].map((kind) => join(process.cwd(), 'tests', 'fixtures', 'tls', `one.${kind}`));
    const served = serve(['--port', '0', '--tls-cert', cert as string], { SVC_TLS_KEY: key });
    const url = await served.url();
    expect(url).toMatch(/^https:/);
    const ca = await readFile(cert as string);
    expect((await rawRequest(`${url}/healthz`, { ca, agent: false })).status).toBe(200);
    expect(await served.stop()).toBe(0);
  });

  it('reads model, device and store from the environment', async () => {
    const model = join(folder, 'only.gguf');
    await writeFile(model, '');
    const environment = { SVC_MODELS_DIR: folder, SVC_DEVICE: 'cuda', SVC_SQLITE_PATH: join(folder, 'other.sqlite') };
    const served = serve(['--port', '0', '--threads', '1'], environment);
    expect(await json(`${await served.url()}/health`)).toMatchObject({ models_dir: basename(folder) });
    await served.stop();
    expect(served.opened).toEqual([{ modelPath: model, backend: 'cuda', threads: 1, maxBatch: 8 }]);
  });

  it.each([
    ['SVC_SQLITE_PATH opens no folder', {}, 403],
    ['SVC_VOICE_DIR opens its own', { SVC_VOICE_DIR: 'recordings' }, 200],
  ])('%s', async (_, { SVC_VOICE_DIR }: { readonly SVC_VOICE_DIR?: string }, status) => {
    await using around = await temporaryFolder();
    const recordings = around.join('recordings');
    await mkdir(recordings);
    for (const at of [around.path, recordings]) {
      await writeFile(join(at, 'anna.wav'), wavOf(0.5));
      await writeFile(join(at, 'anna.txt'), 'What Anna says.');
    }
    const served = start(['--port', '0'], {
      SVC_SQLITE_PATH: around.join('voices.sqlite'),
      ...(SVC_VOICE_DIR === undefined ? {} : { SVC_VOICE_DIR: around.join(SVC_VOICE_DIR) }),
    });
    const url = await served.url();
    const { voices } = await json<{ voices: readonly string[] }>(`${url}/voices`);
    expect(voices.includes('anna')).toBe(status === 200);
    const statusOf = (prompt_wav_path: string) => speak(url, { prompt_wav_path, prompt_text: 'What Anna says.' });
    expect(await statusOf('anna.wav')).toBe(status);
    expect(await statusOf(join(recordings, 'anna.wav'))).toBe(status);
    expect(await statusOf(around.join('anna.wav'))).toBe(403);
    await served.stop();
  });

  it('reports a port that is in use', async () => {
    const first = serve(['--port', '0']);
    const { port } = new URL(await first.url());
    const second = serve(['--port', port, '--cache-dir', folder]);
    expect(await second.done).toBe(1);
    expect(second.errors()).toContain('already in use; choose another --port');
    await first.stop();
  });
});

describe('--wyoming', () => {
  const key = ['--api-key', 'sk-a'];
  const addressIn = (log: string): URL => new URL(/"uri":"([^"]+)"/.exec(log)?.[1] ?? '');

  it('serves Wyoming clients too', async () => {
    const served = serve(['--port', '0'], { SVC_WYOMING: 'tcp://127.0.0.1:0' });
    await served.url();
    const { hostname, port } = addressIn(served.errors());
    expect(hostname).toBe('127.0.0.1');
    await using client = await connectWyoming(Number(port));
    client.send('synthesize', { text: 'Hello.' });
    expect((await client.until('audio-stop')).length).toBeGreaterThan(2);
    expect(await served.stop()).toBe(0);
    expect(served.errors()).not.toContain('has no authentication');
    expect(await client.next()).toBeUndefined();
  });

  it.each([
    [['tcp://127.0.0.1:0', ...key], 'everyone on this machine can use it; API keys and their limits do not'],
    [['tcp://0.0.0.0:0', '--no-zeroconf'], 'everyone who can reach it can use it"'],
    [['tcp://0.0.0.0:0', '--no-zeroconf', ...key], 'can use it; API keys and their limits do not apply there'],
  ])('warns about %j', async (argv, warning) => {
    const served = serve(['--port', '0', '--wyoming', ...argv]);
    await served.url();
    expect(served.errors()).toMatch(/"level":40,[^\n]*tcp:..[\d.]+:\d+ has no authentication/);
    expect(served.errors()).toContain(warning);
    await served.stop();
    expect(served.errors()).not.toContain('announced');
  });

  it('reports a port that is in use', async () => {
    const first = serve(['--port', '0', '--wyoming', 'tcp://127.0.0.1:0']);
    const url = await first.url();
    const { href } = addressIn(first.errors());
    const second = serve(['--port', '0', '--cache-dir', folder, '--wyoming', href]);
    expect(await second.done).toBe(1);
    expect(second.errors()).toContain('already in use; choose another --wyoming');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await first.stop();
  });
});

it('--check-with checks requests with retry_badcase', async () => {
  await using endpoint = await startEndpoint(says('no'), says('one two'));
  const { url, stop } = serve(['--port', '0', '--check-with', endpoint.url]);
  const body = { input: 'one two', response_format: 'pcm', retry_badcase: true };
  expect((await bytesOf(post(`${await url()}/v1/audio/speech`, body))).length).toBeGreaterThan(0);
  expect(endpoint.requests).toHaveLength(2);
  expect(await stop()).toBe(0);
});
