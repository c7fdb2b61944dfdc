import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { get as getPlain } from 'node:http';
import { get } from 'node:https';
import { basename, delimiter, join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
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

const folder = sharedFolder();

interface Served {
  readonly url: () => Promise<string>;
  readonly stop: () => Promise<number>;
  readonly done: Promise<number>;
  readonly errors: () => string;
  readonly opened: readonly EngineOptions[];
}

/** Status of a request under another host name. */
const hostStatus = (url: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    getPlain(`${url}/health`, { headers: { Host: host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });

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
    const form = new FormData();
    form.set('id', 'anna');
    form.set('text', 'What she says.');
    form.set('audio', new Blob([new Uint8Array(encodeWav(new Float32Array(16_000).fill(0.1), 16_000))]), 'a.wav');
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
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ model: 'mine', status: 'healthy' });
    const refused = await fetch(`${url}/v1/audio/speech`, { method: 'POST', body: '{"input":"a","model":"other"}' });
    expect(refused.status).toBe(404);
    expect(await served.stop()).toBe(0);
    expect(served.opened).toEqual([{ maxBatch: 2 }]);
    await expect(fetch(url)).rejects.toThrow();
  });

  it('loads several models when requests name them', async () => {
    const models = ['first', 'second'].flatMap((name) => ['--model', `${name}=models/demo.gguf`]);
    const served = serve(['--port', '0', '--threads', '1', '--max-batch', '2', ...models, '--alias', 'tts-1=second']);
    const url = await served.url();
    expect(served.opened).toEqual([]);
    const speak = async (model: string): Promise<number> => {
      const body = JSON.stringify({ input: 'a', response_format: 'pcm', model });
      const answer = await fetch(`${url}/v1/audio/speech`, { method: 'POST', body });
      await answer.arrayBuffer();
      return answer.status;
    };
    expect([await speak('tts-1'), await speak('other')]).toEqual([200, 404]);
    expect(served.opened).toEqual([{ modelPath: resolve('models/demo.gguf'), threads: 1, maxBatch: 2 }]);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ model: 'first', loaded_models: ['second'] });
    expect(await served.stop()).toBe(0);
  });

  it('checks the words of all models', async () => {
    await using endpoint = await startEndpoint(says('hello'));
    const models = ['first', 'second'].flatMap((name) => ['--model', `${name}=models/demo.gguf`]);
    const served = serve(['--port', '0', '--threads', '1', '--check-with', endpoint.url, ...models]);
    const url = await served.url();
    for (const model of ['first', 'second']) {
      const body = JSON.stringify({ input: 'hello', response_format: 'pcm', retry_badcase: true, model });
      const answer = await fetch(`${url}/v1/audio/speech`, { method: 'POST', body });
      expect([answer.status, (await answer.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
    }
    expect(endpoint.requests).toHaveLength(2);
    await served.stop();
  });

  it('estimates the memory of a single model', async () => {
    const served = serve(['--port', '0']);
    const { models } = (await (await fetch(`${await served.url()}/status`)).json()) as {
      readonly models: readonly { readonly memory_bytes: number | null }[];
    };
    const { size } = await stat('models/demo.gguf');
    expect(models.map(({ memory_bytes }) => memory_bytes)).toEqual([Math.round(1.1 * size + 64 * 2 ** 20)]);
    expect(await served.stop()).toBe(0);
  });

  it('loads a single model on first use only with --keep-alive', async () => {
    const always = serve(['--port', '0', '--model', 'mine=models/demo.gguf']);
    expect(await (await fetch(`${await always.url()}/health`)).json()).toMatchObject({ loaded_models: ['mine'] });
    await always.stop();
    const later = serve(['--port', '0', '--model-path', 'models/demo.gguf', '--keep-alive', '1m']);
    const url = await later.url();
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ model: 'demo', loaded_models: [] });
    // As without --keep-alive, a single model answers to any name.
    await fetch(`${url}/v1/audio/speech`, { method: 'POST', body: '{"input":"a","model":"tts-1"}' });
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ loaded_models: ['demo'] });
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
    ['normalise=on', '--default names the unknown field "normalise"; did you mean "normalize"?'],
    ['speed=9', '--default: speed must be a number from 0.25 to 4, got 9'],
  ])('refuses --default %s before a model is loaded', async (text, message) => {
    const served = serve(['--port', '0', '--default', text]);
    expect(await served.done).toBe(2);
    expect(served.errors()).toContain(message);
    expect(served.opened).toEqual([]);
  });

  it.each([
    [['--default', 'normalize=on', '--default', 'speed=1.1'], { SVC_DEFAULTS: 'speed=2' }],
    [[], { SVC_DEFAULTS: 'normalize=on; speed=1.1;' }],
  ])('lists the defaults of requests with the model: %j %j', async (argv, environment) => {
    const served = serve(['--port', '0', ...argv], environment);
    const { data } = (await (await fetch(`${await served.url()}/v1/models`)).json()) as { data: object[] };
    expect(data[0]).toMatchObject({ defaults: { normalize: true, speed: 1.1 } });
    expect(await served.stop()).toBe(0);
  });

  it('refuses a lexicon with mistakes before a model is loaded', async () => {
    const words = join(folder, 'words.txt');
    await writeFile(words, 'gif');
    const served = serve(['--port', '0', '--lexicon', words]);
    expect(await served.done).toBe(2);
    expect(served.errors()).toBe(`svc: error: ${words}, line 1: use the form "word = respelling", got "gif"\n`);
    expect(served.opened).toEqual([]);
  });

  it.each([
    [['--api-key', 'abc'], {}, 'abc'],
    [[], { SVC_API_KEY: 'abc' }, 'abc'],
    [['--disable-auth'], { SVC_API_KEY: 'abc' }, undefined],
  ])('requires the API key of %j and %j', async (argv, environment, key) => {
    const served = serve(['--port', '0', ...argv], environment);
    const url = await served.url();
    expect((await fetch(`${url}/health`)).status).toBe(key === undefined ? 200 : 401);
    expect((await fetch(`${url}/health`, { headers: { Authorization: `Bearer ${key}` } })).status).toBe(200);
    const foreign = await hostStatus(url, 'evil.example');
    expect(foreign).toBe(key === undefined ? 403 : 401);
    await served.stop();
    const ignored = '--disable-auth ignores SVC_API_KEY: no API key is required';
    expect(served.errors().includes(ignored)).toBe(key === undefined);
  });

  it('takes keys, limits and origins from options or the environment', async () => {
    const keys = join(folder, 'keys.json');
    await writeFile(keys, JSON.stringify({ anna: { key: 'key-of-anna' }, ben: { key: 'key-of-ben', rate_limit: 9 } }));
    const environment = {
      SVC_API_KEY: 'single',
      SVC_API_KEYS: keys,
      SVC_RATE_LIMIT: '7',
      SVC_PUBLIC_LISTS: '1',
      SVC_CORS_ORIGIN: 'https://a.example,moz-extension://*',
      SVC_TRUST_PROXY: 'loopback',
      SVC_STRICT: 'true',
    };
    const served = serve(['--host', '0.0.0.0', '--port', '0', '--rate-limit', '8'], environment);
    const url = (await served.url()).replace('0.0.0.0', '127.0.0.1');
    const speak = (key: string, body: object = {}) =>
      fetch(`${url}/v1/audio/speech`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, Origin: 'moz-extension://0-1', 'X-Forwarded-For': '9.9.9.9' },
        body: JSON.stringify({ input: 'a', ...body }),
      });
    const limits: unknown[] = [];
    for (const key of ['single', 'key-of-anna', 'key-of-ben']) {
      const answer = await speak(key);
      await answer.arrayBuffer();
      limits.push(answer.headers.get('ratelimit-limit'));
      expect(answer.headers.get('access-control-allow-origin')).toBe('moz-extension://0-1');
    }
    expect(limits).toEqual(['8', '8', '9']);
    expect((await speak('single', { instructions: 'slowly' })).status).toBe(400);
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
    const { data } = (await (await fetch(`${await served.url()}/v1/voices`)).json()) as {
      readonly data: readonly { readonly id: string; readonly alias_of: string | null }[];
    };
    expect(data.filter(({ alias_of }) => alias_of !== null).map(({ id, alias_of }) => [id, alias_of])).toEqual([
      ['alloy', 'alma'],
      ['nova', 'bruno'],
    ]);
    const removed = await fetch(`${await served.url()}/v1/voices/alma`, { method: 'DELETE' });
    expect(removed.status).toBe(403);
    expect(await served.stop()).toBe(0);
  });

  it.each([
    [['--default-voice', 'nobody'], '--default-voice nobody: unknown voice "nobody" (available: '],
    [['--voice-alias', 'alloy=almao'], '--voice-alias alloy=almao: unknown voice "almao" (available: '],
  ])('refuses to start with an unknown voice: %j', async (argv, message) => {
    const served = serve(['--port', '0', ...argv]);
    expect(await served.done).toBe(3);
    expect(served.errors()).toContain(message);
    expect(served.errors()).toContain("see 'svc voices list')");
  });

  it('explains how to name a model file', async () => {
    const served = serve(['--port', '0', '--model', 'models/demo.gguf']);
    expect(await served.done).toBe(3);
    expect(served.errors()).toBe(
      'svc: error: unknown model "models/demo.gguf"; for a file, use --model NAME=FILE or --model-path\n',
    );
  });

  it('serves HTTPS', async () => {
    const [cert, key] = ['crt', 'key'].map((kind) => join(process.cwd(), 'tests', 'fixtures', 'tls', `one.${kind}`));
    const served = serve(['--port', '0', '--tls-cert', cert as string], { SVC_TLS_KEY: key });
    const url = await served.url();
    expect(url).toMatch(/^https:/);
    const ca = await readFile(cert as string);
    const status = await new Promise((resolve, reject) => {
      get(`${url}/healthz`, { ca, agent: false }, (response) => resolve(response.resume().statusCode)).once(
        'error',
        reject,
      );
    });
    expect(status).toBe(200);
    expect(await served.stop()).toBe(0);
  });

  it.each([
    [['--api-keys', '/nowhere/keys.json'], {}, 'cannot read the key file /nowhere/keys.json: no such file'],
    [['--rate-limit', '5'], {}, '--rate-limit needs API keys: set --api-key or --api-keys'],
    [[], { SVC_CONCURRENCY_LIMIT: '5' }, '--concurrency-limit needs API keys'],
    [['--public-lists'], {}, '--public-lists needs API keys: set --api-key or --api-keys'],
    [['--disable-auth'], { SVC_PUBLIC_LISTS: '1', SVC_API_KEY: 'abc' }, '--public-lists needs API keys'],
    [['--disable-auth', '--api-key', 'abc'], {}, '--disable-auth and --api-key cannot be combined'],
    [['--disable-auth', '--api-keys', 'k.json'], {}, '--disable-auth and --api-keys cannot be combined'],
    [
      [],
      { SVC_RATE_LIMIT: 'many' },
      '--rate-limit must be an integer from 1 to 1000000, got "many" (from SVC_RATE_LIMIT)',
    ],
    [[], { SVC_STRICT: 'perhaps' }, 'SVC_STRICT must be 1, true, 0 or false, got "perhaps"'],
    [['--trust-proxy', 'nginx'], {}, '--trust-proxy must be'],
    [['--voice-alias', 'alloy'], {}, '--voice-alias must be ALIAS=NAME such as alloy=anna, got "alloy"'],
    [['--voice-alias', 'a=b=c'], {}, '--voice-alias must be ALIAS=NAME such as alloy=anna, got "a=b=c"'],
    [['--voice-alias', 'a/b=demo'], {}, '--voice-alias: a voice name must be 1 to 64 letters'],
    [['--voice-alias', 'default=demo'], {}, '--voice-alias: a voice cannot be named "default"'],
    [['--voice-alias', 'a=alma', '--voice-alias', 'a=bruno'], {}, '--voice-alias names "a" twice'],
    [['--default-voice', '../anna'], {}, 'a voice name must be 1 to 64 letters'],
    [
      [],
      { SVC_VOICE_ALIAS: 'alloy' },
      '--voice-alias must be ALIAS=NAME such as alloy=anna, got "alloy" (from SVC_VOICE_ALIAS)',
    ],
    [['--trust-proxy', '10.0.0.0/99'], {}, '--trust-proxy must be'],
    [['--cors-origin', 'https://a.example/page'], {}, '--cors-origin must be'],
    [['--cors-origin', 'chrome-extension://'], {}, '--cors-origin must be'],
    [['--tls-cert', 'x.pem'], {}, '--tls-cert and --tls-key must be given together'],
    [['--tls-cert', '/nowhere/x.pem', '--tls-key', '/nowhere/y.pem'], {}, 'cannot read --tls-'],
    [['--host', '0.0.0.0'], {}, 'set --api-key, or --disable-auth'],
    [['--host', '192.168.0.7'], {}, 'set --api-key, or --disable-auth'],
    [['--api-key', ''], {}, '--api-key'],
    [['--port', '99999'], {}, '--port must be'],
    [['-p', 'http'], {}, '--port must be'],
    [['--max-queue', '-1'], {}, '--max-queue'],
    [['--max-batch', '0'], {}, '--max-batch'],
    [['--inference-timesteps', '101'], {}, '--inference-timesteps'],
    [['--cors-origin', 'example.org'], {}, '--cors-origin'],
    [['--keep-alive', 'long'], {}, '--keep-alive must be a duration such as 10m'],
    [['--memory-limit', 'all'], {}, '--memory-limit must be a size such as 2GiB or 1500MB, got "all"'],
    [['--memory-limit', '2GiB'], {}, '--memory-limit needs several models, or --keep-alive'],
    [['--memory-limit', '1MB', '--keep-alive', '1m'], {}, 'needs about'],
    [['--alias', 'tts-1'], {}, '--alias must be ALIAS=NAME'],
    [['--keep-alive', '1m', '--alias', 'tts-1=other'], {}, '--alias tts-1=other: unknown model "other"'],
    [['--model', 'a=models/demo.gguf', '--model', 'a=models/demo.gguf'], {}, 'two models have the name "a"'],
    [['--model', 'a=models/demo.gguf', '--model-path', 'models/demo.gguf'], {}, '--model-path'],
    [['--model', '=models/demo.gguf'], {}, '--model must be a model, or NAME=MODEL'],
    [
      ['--model', 'a=models/demo.gguf', '--model', 'b=models/demo.gguf', '--model-name', 'c'],
      {},
      '--model-name names a single model',
    ],
    [['--model', 'a=models/demo.gguf', '--type', 'q8_0'], {}, '--type needs --model with the name of a model'],
    [[], { SVC_DEVICE: 'tpu' }, 'SVC_DEVICE'],
    [[], { SVC_MODELS_DIR: '/nowhere' }, 'SVC_MODELS_DIR'],
  ])('refuses to start with %j and %j', async (argv, environment, subject) => {
    const served = serve(argv, environment);
    expect(await served.done).toBe(2);
    expect(served.errors()).toMatch(/^svc: error: .*\n$/);
    expect(served.errors()).toContain(subject);
    expect(served.opened).toEqual([]);
  });

  it('reads model, device and store from the environment', async () => {
    const model = join(folder, 'only.gguf');
    await writeFile(model, '');
    const environment = { SVC_MODELS_DIR: folder, SVC_DEVICE: 'cuda', SVC_SQLITE_PATH: join(folder, 'other.sqlite') };
    const served = serve(['--port', '0', '--threads', '1'], environment);
    expect(await (await fetch(`${await served.url()}/health`)).json()).toMatchObject({ models_dir: basename(folder) });
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
      await writeFile(join(at, 'anna.wav'), encodeWav(new Float32Array(8000).fill(0.1), 16_000));
      await writeFile(join(at, 'anna.txt'), 'What Anna says.');
    }
    const served = start(['--port', '0'], {
      SVC_SQLITE_PATH: around.join('voices.sqlite'),
      ...(SVC_VOICE_DIR === undefined ? {} : { SVC_VOICE_DIR: around.join(SVC_VOICE_DIR) }),
    });
    const url = await served.url();
    const { voices } = (await (await fetch(`${url}/voices`)).json()) as { readonly voices: readonly string[] };
    expect(voices.includes('anna')).toBe(status === 200);
    const speak = async (path: string): Promise<number> => {
      const body = { input: 'hello', response_format: 'pcm', prompt_wav_path: path, prompt_text: 'What Anna says.' };
      const answer = await fetch(`${url}/v1/audio/speech`, { method: 'POST', body: JSON.stringify(body) });
      await answer.arrayBuffer();
      return answer.status;
    };
    expect(await speak('anna.wav')).toBe(status);
    expect(await speak(join(recordings, 'anna.wav'))).toBe(status);
    expect(await speak(around.join('anna.wav'))).toBe(403);
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
    [
      ['tcp://127.0.0.1:0', '--api-key', 'sk-a'],
      'everyone on this machine can use it; API keys and their limits do not',
    ],
    [['tcp://0.0.0.0:0', '--no-zeroconf'], 'everyone who can reach it can use it"'],
    [
      ['tcp://0.0.0.0:0', '--no-zeroconf', '--api-key', 'sk-a'],
      'can use it; API keys and their limits do not apply there',
    ],
  ])('warns about %j', async (argv, warning) => {
    const served = serve(['--port', '0', '--wyoming', ...argv]);
    await served.url();
    expect(served.errors()).toMatch(/"level":40,[^\n]*tcp:..[\d.]+:\d+ has no authentication/);
    expect(served.errors()).toContain(warning);
    await served.stop();
    expect(served.errors()).not.toContain('announced');
  });

  it('refuses other addresses', async () => {
    const expected = '--wyoming must be tcp://HOST:PORT or unix:///PATH, got "10200"';
    const given = serve(['--port', '0', '--wyoming', '10200']);
    expect([await given.done, given.opened]).toEqual([2, []]);
    expect(given.errors()).toContain(expected);
    const variable = serve(['--port', '0'], { SVC_WYOMING: '10200' });
    expect(await variable.done).toBe(2);
    expect(variable.errors()).toContain(`${expected} (from SVC_WYOMING)`);
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

describe('--check-with', () => {
  it('checks requests with retry_badcase', async () => {
    await using endpoint = await startEndpoint(says('no'), says('one two'));
    const { url, stop } = serve(['--port', '0', '--check-with', endpoint.url]);
    const body = JSON.stringify({ input: 'one two', response_format: 'pcm', retry_badcase: true });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${await url()}/v1/audio/speech`, { method: 'POST', headers, body });
    expect([response.status, (await response.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
    expect(endpoint.requests).toHaveLength(2);
    expect(await stop()).toBe(0);
  });

  it('is checked at the start', async () => {
    const { done, errors, opened } = serve(['--port', '0', '--check-with', 'no-such-program']);
    expect([await done, opened]).toEqual([2, []]);
    expect(errors()).toContain('--check-with: command "no-such-program" not found');
  });
});
