import type { RequestOptions } from 'node:http';
import { hostname } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import type { AudioSink } from '../../src/audio/encode/sink.ts';
import { SvcError } from '../../src/errors.ts';
import { eventually } from '../support/eventually.ts';
import { readRows } from '../support/rows.ts';
import { documentOf, operationsOf } from './openapi-document.ts';
import { rawRequest } from './raw-request.ts';
import { bearer, bytesOf, read, statusAndJson } from './start-server.ts';
import { expectError, freshServer } from './test-server.ts';

const server = freshServer();
const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  server.fetch(path, { headers });

/** Asks, as a page would, whether it may send a speech request with these headers. */
const preflight = (Origin: string, requested = 'content-type'): Promise<Response> => {
  const names = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': requested };
  return server.fetch('/v1/audio/speech', { method: 'OPTIONS', headers: { Origin, ...names } });
};

/** Sets headers as browsers do, which fetch forbids. */
const raw = async (path: string, headers: RequestOptions['headers'], method = 'GET'): Promise<number | undefined> =>
  (await rawRequest(`${(await server.started()).url}${path}`, { headers, method })).status;

describe('service routes', () => {
  it('returns health with the fields of all compatible servers', async () => {
    expect(await server.json('/healthz')).toEqual({ status: 'ok' });
    expect(await server.json('/readyz')).toEqual({ status: 'ready' });
    expect(await server.json('/health')).toMatchObject({
      status: 'healthy',
      is_processing: false,
      current_job_id: null,
      queue_pending: false,
      model: 'fake',
      initialized: true,
      models_dir: 'models',
      device_type: 'cpu',
      device_id: 0,
    });
  });

  it.each([true, false])('reports whether there is an audio output once known: %s', async (found) => {
    let answer = (_: boolean): void => undefined;
    await server.start({
      playback: new Promise((resolve) => {
        answer = resolve;
      }),
    });
    expect(await server.json('/health')).toMatchObject({ playback: null });
    answer(found);
    expect(await server.json('/health')).toMatchObject({ playback: found });
  });

  it('lists the model', async () => {
    const model = { id: 'fake', object: 'model', owned_by: 'svc' };
    expect(await server.json('/v1/models')).toMatchObject({ object: 'list', data: [model] });
    expect(await server.json('/v1/models/fake')).toMatchObject(model);
    await expectError(get('/v1/models/other'), 404, { code: 'model_not_found' });
  });

  it('serves the playground, an OpenAPI document of all routes, and an API reference', async () => {
    await server.start({ settings: { apiKey: 'k' } });
    const page = await get('/');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    const document = await documentOf(server, bearer('k'));
    expect(document.openapi).toBe('3.1.0');
    const paths = readRows<'path'>('tests/server/openapi-paths.tsv').map(({ path }) => path);
    expect(Object.keys(document.paths).sort()).toEqual(paths.sort());
    const speech = document.paths['/v1/audio/speech']?.post?.requestBody?.content['application/json']?.schema;
    const input = { anyOf: [{ type: 'string' }, { type: 'array' }] };
    expect(speech).toMatchObject({ required: ['input'], properties: { input } });
    expect((await get('/health')).status).toBe(401);
  });

  it('serves the API reference with all its files, and no others', async () => {
    const page = await get('/docs');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const addresses = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
    expect(addresses).toEqual(expect.arrayContaining(['docs/swagger-ui-bundle.js', 'openapi.json', './']));
    for (const address of addresses) {
      // Relative, so that proxies may add a prefix.
      expect(address).toMatch(/^(?!\/|\w+:)/);
      expect([address, (await get(`/${address}`)).status]).toEqual([address, 200]);
    }
    for (const path of ['/docs/nothing.js', '/docs/%2e%2e/%2e%2e/package.json'])
      expect((await get(path)).status).toBe(404);
  });

  it('describes each operation and field', async () => {
    const document = await documentOf(server);
    for (const language of ['sh', 'python', 'js']) expect(document.info.description).toContain(`\`\`\`${language}\n`);
    expect(document.info.description).not.toContain('SVC_API_KEY');
    const operations = operationsOf(document).map(({ operation }) => operation);
    const summaries = /^(?:Add|Cancel|Check|Delete|Encode|Generate|Get|List|Load|Play|Rename|Unload)\b[^.]*\.$/;
    for (const { summary } of operations) expect(summary).toMatch(summaries);
    const fields = operations.flatMap(({ parameters = [], requestBody }) => [
      ...parameters,
      ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
        Object.entries(schema.properties ?? {}).map(([name, { description }]) => ({ name, description })),
      ),
    ]);
    expect(fields.filter(({ description }) => description === undefined).map(({ name }) => name)).toEqual([]);
    const speech = document.paths['/v1/audio/speech']?.post?.requestBody?.content['application/json'];
    const spoken = await read(server.speak(speech?.example as object));
    expect([spoken.status, spoken.headers.get('content-type')]).toEqual([200, 'audio/wav']);
  });

  it('answers unknown paths and methods', async () => {
    await expectError(get('/v2/audio'), 404, { code: 'not_found' });
    const method = await server.fetch('/v1/audio/speech');
    expect([method.status, method.headers.get('allow')]).toEqual([405, 'POST']);
    for (const path of ['/v1/audio/speech/stream', '/v1/text-to-speech/anna/stream-input']) {
      const plain = await server.fetch(path);
      expect(plain.headers.get('upgrade')).toBe('websocket');
      const message = `GET "${path}" needs a WebSocket: connect a client for ws:// or wss://`;
      await expectError(plain, 426, { message, code: 'upgrade_required' });
    }
    const head = await server.fetch('/tts?input=hello', { method: 'HEAD' });
    expect(head.status).toBe(405);
    expect(server.backend.calls).toEqual([]);
  });

  it('gives each request an id and logs no texts', async () => {
    const named = await get('/health', { 'X-Request-Id': 'abc-1' });
    expect(named.headers.get('x-request-id')).toBe('abc-1');
    const odd = await get('/health', { 'X-Request-Id': 'a b' });
    expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    await (await get('/tts?input=privatewords', { Authorization: 'Bearer secretkey' })).arrayBuffer();
    await eventually(() => server.log.join('').includes('/tts'), 'the request is logged');
    expect(server.log.join('')).not.toMatch(/privatewords|secretkey/);
    expect(JSON.parse(server.logged('abc-1')[0] ?? '')).toMatchObject({
      req: { id: 'abc-1', method: 'GET', path: '/health' },
      res: { statusCode: 200 },
    });
  });
});

describe('forms', () => {
  it.each(['urlencoded', 'multipart', 'query'] as const)('return speech (%s)', async (kind) => {
    const fields = { input: 'hello', response_format: 'pcm', max_len: '3', voice: '', speed: '1.0', cfg_value: '2.0' };
    const parameters = new URLSearchParams(fields);
    const response = {
      urlencoded: () => server.fetch('/tts', { method: 'POST', body: parameters }),
      multipart: () => server.send('/tts', fields),
      query: () => get(`/tts?${parameters}`),
    }[kind]();
    expect((await bytesOf(response)).length).toBe(24);
  });

  it('default to mp3 and refuse invalid values', async () => {
    expect((await read(get('/tts?input=hello'))).headers.get('content-type')).toBe('audio/mpeg');
    for (const query of ['', '?input=', '?input=a&speed=fast', '?input=a&max_len=-1', '?input=a&voice=nobody']) {
      const refused = await get(`/tts${query}`);
      expect([query, refused.status]).toEqual([query, query.includes('nobody') ? 404 : 422]);
    }
  });
});

describe('access', () => {
  it('requires the key everywhere except on public routes', async () => {
    await server.start({ settings: { apiKey: 'right key!', hosts: 'any' } });
    for (const path of ['/health', '/v1/models', '/v1/voices', '/voices', '/metrics', '/nothing']) {
      const refused = await get(path);
      expect([path, refused.headers.get('www-authenticate')]).toEqual([path, 'Bearer']);
      await expectError(refused, 401, { type: 'authentication_error', code: 'invalid_api_key' });
    }
    for (const path of ['/v1/audio/speech', '/v1/audio/speech/cancel', '/v1/voices', '/ref_feat', '/tts']) {
      expect([path, (await server.post(path, {})).status]).toEqual([path, 401]);
    }
    for (const token of ['Bearer wrong', 'Bearer ', 'Basic right key!', 'right key!', 'Bearer right key']) {
      expect((await get('/health', { Authorization: token })).status).toBe(401);
    }
    expect((await get('/health', { Authorization: 'Bearer right key!' })).status).toBe(200);
    for (const path of ['/healthz', '/readyz', '/', '/docs', '/openapi.json'])
      expect((await get(path)).status).toBe(200);
  });

  it('refuses foreign web pages on a server without a key', async () => {
    await server.start();
    const Host = `127.0.0.1:${server.port}`;
    for (const [path, headers, status] of [
      ['/health', { Host: 'evil.example' }, 403],
      ['/health', { Host: `localhost:${server.port}` }, 200],
      ['/health', { Origin: 'http://evil.example' }, 403],
      ['/health', { Origin: 'null' }, 403],
      ['/health', { Origin: `http://${Host}` }, 200],
      ['/tts?input=a', { 'Sec-Fetch-Site': 'cross-site' }, 403],
      ['/health', { 'Sec-Fetch-Site': 'same-origin' }, 200],
      ['/', { 'Sec-Fetch-Site': 'cross-site' }, 200],
    ] as const)
      expect([headers, await raw(path, { Host, ...headers })]).toEqual([headers, status]);
  });

  it('refuses names of the public DNS where everyone on the network is served', async () => {
    await server.start({ settings: { hosts: 'local' } });
    const foreign = ['evil.example:8000', 'localhost.evil.example', '192.168.1.5.nip.io', 'a.lan.org'];
    for (const host of ['evil.example', ...foreign]) {
      for (const request of ['GET /v1/voices', 'GET /v1/voices/anna/audio', 'DELETE /v1/voices/anna']) {
        const [method, path = ''] = request.split(' ');
        expect([host, await raw(path, { Host: host, Origin: `http://${host}` }, method)]).toEqual([host, 403]);
        expect([host, await raw(path, { Host: host }, method)]).toEqual([host, 403]);
      }
    }
    const own = ['localhost', '192.168.1.5:8000', '[fe80::1]:8000', 'nas', 'nas:8000', 'speech.lan', hostname()];
    for (const host of [...own, 'svc.a.svc.cluster.local'])
      expect([host, await raw('/health', { Host: host })]).toEqual([host, 200]);
    expect((await speakAs({ Host: 'speech.example.org' })).message).toBe(
      'host "speech.example.org" refused: without an API key, the server accepts addresses and names of the local network only; allow it with --cors-origin http://speech.example.org, or set --api-key',
    );
  });

  it('refuses speech that an image of an unknown page asks for', async () => {
    await server.start({ settings: { hosts: 'local', corsOrigins: ['http://home.lan'] } });
    const Host = '192.168.1.5:8000';
    const browser = { Host, 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };
    const ask = (headers: Readonly<Record<string, string>>, path = '/tts?input=a') => raw(path, headers);
    expect(await ask(browser)).toBe(403);
    expect(await ask(browser, '/TTS/?input=a')).toBe(403);
    expect(await ask({ ...browser, Referer: 'http://evil.example/page' })).toBe(403);
    expect(await ask({ ...browser, Referer: `http://${Host}/docs` })).toBe(200);
    expect(await ask({ ...browser, Referer: 'http://home.lan/' })).toBe(200);
    expect(await ask({ ...browser, 'Sec-Fetch-Site': 'none' })).toBe(200);
    expect(await ask({ Host, 'User-Agent': 'curl/8.0' })).toBe(200);
    expect(await ask(browser, '/health')).toBe(200);
  });

  it('lets pages name this server to itself, and to no other', async () => {
    for (const path of ['/', '/docs']) expect((await get(path)).headers.get('referrer-policy')).toBe('same-origin');
  });

  /** The playground's request through a proxy over plain HTTP, where browsers send no Sec-Fetch-Site. */
  const speakAs = async (given: Readonly<Record<string, string>>) => {
    const headers = { ...given, 'Content-Type': 'application/json' };
    const options = { method: 'POST', headers, body: JSON.stringify({ input: 'hello' }) };
    const { status, text } = await rawRequest(`${server.url}/v1/audio/speech/stream`, options);
    return { status, message: status === 200 ? '' : JSON.parse(text).error.message };
  };

  it('names the host and the option that allows the page', async () => {
    await server.start();
    const own = `127.0.0.1:${server.port}`;
    const page = 'http://speech.lan';
    expect(await speakAs({ Host: own, Origin: page })).toEqual({
      status: 403,
      message: `cross-origin request refused: the page is from "${page}", this server was called as "${own}"; allow the page with --cors-origin ${page}`,
    });
    expect(await speakAs({ Host: 'speech.lan', Origin: page })).toEqual({
      status: 403,
      message: `host "speech.lan" refused: without an API key, the server accepts local host names only; allow it with --cors-origin ${page}, or set --api-key`,
    });
    // Pages can send this header too.
    expect(await speakAs({ Host: own, Origin: page, 'X-Forwarded-Host': 'speech.lan' })).toMatchObject({ status: 403 });
    expect((await speakAs({ Host: own, Origin: 'null' })).message).toContain('--cors-origin ORIGIN');
  });

  it('accepts the allowed page through a proxy, whether or not it forwards the host', async () => {
    await server.start({ settings: { corsOrigins: ['http://speech.lan'] } });
    const own = `127.0.0.1:${server.port}`;
    for (const host of [own, 'speech.lan']) {
      expect(await speakAs({ Host: host, Origin: 'http://speech.lan' })).toMatchObject({ status: 200 });
      expect(await speakAs({ Host: host, Origin: 'http://evil.example' })).toMatchObject({ status: 403 });
      expect(await raw('/health', { Host: host })).toBe(200);
    }
    expect(await speakAs({ Host: 'evil.example', Origin: 'http://evil.example' })).toMatchObject({ status: 403 });
    expect(await speakAs({ Host: 'evil.example', Origin: 'http://speech.lan' })).toMatchObject({ status: 403 });
  });

  it('sends CORS headers to allowed pages only', async () => {
    await server.start({ settings: { corsOrigins: ['https://app.example'], apiKey: 'k' } });
    const { status, headers } = await preflight('https://app.example');
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, 'https://app.example']);
    const other = await get('/health', { Origin: 'https://other.example', Authorization: 'Bearer k' });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
    await server.start();
    const none = await get('/health', { Origin: server.url });
    expect(none.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('origins', () => {
  const originOf = async (origin: string, path = '/healthz'): Promise<readonly [number, string | null]> => {
    const response = await get(path, { Origin: origin });
    return [response.status, response.headers.get('access-control-allow-origin')];
  };

  it('of browser extensions are allowed one by one or all', async () => {
    await server.start({ settings: { corsOrigins: ['chrome-extension://abc', 'moz-extension://*'] } });
    for (const origin of ['chrome-extension://abc', 'moz-extension://0a-1b']) {
      expect(await originOf(origin, '/health')).toEqual([200, origin]);
    }
    const others = ['chrome-extension://abcd', 'safari-web-extension://x', 'https://moz-extension', 'null'];
    for (const origin of others) expect(await originOf(origin, '/health')).toEqual([403, null]);
    // An extension is no host.
    expect(await raw('/health', { Host: 'abc' })).toBe(403);
  });

  it('are all allowed by *, with and without a key', async () => {
    await server.start({ settings: { corsOrigins: ['*'] } });
    expect(await originOf('https://any.example', '/health')).toEqual([200, '*']);
    await server.start({ settings: { corsOrigins: ['*'], apiKey: 'k' } });
    expect(await originOf('https://any.example', '/health')).toEqual([401, '*']);
    const requested = 'authorization,content-type';
    const { status, headers } = await preflight('https://any.example', requested);
    expect([status, headers.get('access-control-allow-headers')]).toEqual([204, requested]);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe("a client's address", () => {
  const logged = async (trustProxy: boolean | number | string, forwarded: string): Promise<string> => {
    await server.start({ settings: { trustProxy } });
    await get('/healthz', { 'X-Forwarded-For': forwarded });
    await eventually(() => server.log.length > 0, 'a line');
    return JSON.parse(server.log[0] ?? '').req.remoteAddress;
  };

  it.each([
    [false, '6.6.6.6', '127.0.0.1'],
    [1, '6.6.6.6, 7.7.7.7', '7.7.7.7'],
    ['loopback', '6.6.6.6, 7.7.7.7', '7.7.7.7'],
    ['10.0.0.0/8', '6.6.6.6', '127.0.0.1'],
    [true, '6.6.6.6, 7.7.7.7', '6.6.6.6'],
    [1, 'no address "x"', '127.0.0.1'],
    [1, '::1', '::1'],
  ])('with trust in %j and %j is %s', async (trustProxy, forwarded, address) => {
    expect(await logged(trustProxy, forwarded)).toBe(address);
  });
});

describe('playback', () => {
  const fakePlayer = (): AudioSink & { readonly received: number[]; readonly events: string[] } => {
    const [received, events]: [number[], string[]] = [[], []];
    return {
      received,
      events,
      write: async (samples) => void received.push(samples.length),
      finish: async () => void events.push('finish'),
      abort: async () => void events.push('abort'),
    };
  };

  it('plays and reports the duration', async () => {
    const player = fakePlayer();
    await server.start({ openPlayer: async () => player, backend: { info: { patchSamples: 1600 } } });
    expect(await statusAndJson(server.post('/v1/audio/speech/playback', { input: 'hello' }))).toEqual([
      200,
      {
        ...{ status: 'success', warnings: [], message: 'Audio playback completed for Job 1' },
        ...{ job_id: 1, chunks_played: 5, duration_seconds: 0.5 },
      },
    ]);
    expect(player.received).toEqual([1600, 1600, 1600, 1600, 1600]);
    expect(player.events[0]).toBe('finish');
  });

  it('stops when canceled', async () => {
    const player = fakePlayer();
    await server.start({
      openPlayer: async () => ({ ...player, finish: () => new Promise(() => undefined) }),
      backend: { stopAt: undefined },
    });
    const playing = server.post('/v1/audio/speech/playback', { input: 'hello there my friend' });
    await eventually(() => player.received.length > 0, 'playback has started');
    const release = server.backend.hold();
    await server.post('/v1/audio/speech/cancel', {});
    release();
    await expectError(playing, 499, { code: 'cancelled' });
    expect(player.events).toContain('abort');
  });

  it('reports a missing audio output', async () => {
    await server.start({
      openPlayer: async () => {
        throw new SvcError('PLAYBACK_UNAVAILABLE', 'this machine has no usable audio output');
      },
    });
    const played = server.post('/v1/audio/speech/playback', { input: 'hello' });
    await expectError(played, 501, { code: 'playback_unavailable' });
    expect(server.backend.calls).toEqual([]);
  });
});
