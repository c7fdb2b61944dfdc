/** Manners that HTTP clients expect of any server: ranges, encodings, addresses, numbers in strings. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { bearer, bytesOf, errorOf, read } from '../start-server.ts';
import { expectError, freshServer } from '../test-server.ts';

const server = freshServer();

const part = (path: string, range?: string): Promise<Response> =>
  server.fetch(path, range === undefined ? {} : { headers: { Range: range } });

describe.each([
  ['the recording of a voice', '/v1/voices/alma/audio'],
  ['a complete file with a seed', '/tts?input=hello&seed=1&response_format=wav&stream=false'],
])('%s', (_name, path) => {
  it('is sent in the ranges that a player asks for', async () => {
    const all = await part(path);
    expect([all.status, all.headers.get('Accept-Ranges')]).toEqual([200, 'bytes']);
    const whole = await bytesOf(all);
    const size = whole.length;
    for (const [range, from, to] of [
      ['bytes=0-1', 0, 1],
      ['bytes=40-', 40, size - 1],
      ['bytes=-4', size - 4, size - 1],
      ['bytes=0-999999999', 0, size - 1],
    ] as const) {
      const response = await part(path, range);
      const { headers } = response;
      expect([response.status, headers.get('Content-Range'), headers.get('Content-Length')]).toEqual([
        206,
        `bytes ${from}-${to}/${size}`,
        String(to - from + 1),
      ]);
      expect((await bytesOf(response)).equals(whole.subarray(from, to + 1))).toBe(true);
    }
    const beyond = await part(path, `bytes=${size}-`);
    expect([beyond.status, await beyond.text()]).toEqual([416, '']);
    expect(beyond.headers.get('Content-Range')).toBe(`bytes */${size}`);
    for (const range of ['bytes=0-1,4-5', 'lines=1-2', 'nonsense']) {
      const response = await part(path, range);
      expect([response.status, (await bytesOf(response)).equals(whole)]).toEqual([200, true]);
    }
  });
});

it('a file without a seed has no ranges, as the next request would get another one', async () => {
  const response = await part('/tts?input=hello&response_format=wav&stream=false', 'bytes=0-1');
  expect([response.status, response.headers.get('Accept-Ranges')]).toEqual([200, null]);
  expect((await bytesOf(response)).length).toBe(44 + 40);
});

describe('a body', () => {
  const send = (body: Buffer, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    server.fetch('/v1/audio/speech', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: new Uint8Array(body),
    });
  const json = Buffer.from(JSON.stringify({ input: 'hello', voice: 'default', response_format: 'pcm' }));

  it('may be compressed, and is refused in encodings that the server does not know', async () => {
    expect((await bytesOf(send(gzipSync(json), { 'Content-Encoding': 'gzip' }))).length).toBeGreaterThan(0);
    for (const [headers, what] of [
      [{ 'Content-Encoding': 'compress' }, 'content encoding "compress"'],
      [{ 'Content-Type': 'application/json; charset=klingon' }, 'charset "klingon"'],
    ] as const) {
      const refused = await send(json, headers);
      const message = expect.stringContaining(`the body has the unsupported ${what}; send `);
      await expectError(refused, 415, { code: 'unsupported_media_type', message });
    }
  });

  it.each([
    ...['utf8', 'UTF8', '"utf-8"', 'unicode-1-1-utf-8', 'us-ascii', 'ASCII', 'iso-8859-1', 'latin1', 'shift_jis'],
    ...['cp1252', '"UTF8 "', "'utf-8'", 'utf8; version=1', '', 'utf_8', 'utf-8,', 'UTF-8; charset=utf-8', '"utf8'],
  ])('may state its charset as %s', async (charset) => {
    const headers = { 'Content-Type': `application/json; charset=${charset}` };
    expect((await bytesOf(send(json, headers))).length).toBeGreaterThan(0);
    const form = await server.fetch('/tts', {
      method: 'POST',
      headers: { 'Content-Type': `application/x-www-form-urlencoded; charset=${charset}` },
      body: 'input=hello&stream=false&response_format=wav',
    });
    expect(form.status).toBe(charset === 'shift_jis' ? 415 : 200);
  });

  it.each([
    ['iso-8859-1', 'latin1'],
    ['utf-16le', 'utf16le'],
  ] as const)('is read in the charset %s that it states', async (charset, encoding) => {
    await server.start({ limits: { bodyBytes: 1000 } });
    const long = { ref_audio: 'A'.repeat(2000) };
    for (const more of encoding === 'latin1' ? [{}, long] : [{}]) {
      const body = Buffer.from(JSON.stringify({ input: 'hello', voice: 'größe', ...more }), encoding);
      const refused = await send(body, { 'Content-Type': `application/json; charset=${charset}` });
      expect((await errorOf(refused)).message).toMatch(more === long ? /^ref_audio/ : /^unknown voice "größe"/);
    }
  });

  it('must be UTF-8', async () => {
    await server.start({ limits: { bodyBytes: 1000 } });
    const broken = Buffer.from(json);
    broken[broken.indexOf('hello')] = 0xff;
    const long = Buffer.from(JSON.stringify({ input: 'hello', ref_audio: 'A'.repeat(2000) }));
    long[long.indexOf('hello')] = 0xff;
    for (const body of [broken, long]) await expectError(send(body), 400, 'the body is not valid UTF-8');
    expect(server.backend.calls).toEqual([]);
  });

  it('may have numbers in strings', async () => {
    const body = { input: 'hello', voice: 'default', response_format: 'pcm' };
    const numbers = { speed: 1.5, seed: 7, cfg_value: 2, sample_rate: 16_000 };
    const strings = { speed: '1.5', seed: '7', cfg_value: '2.0', sample_rate: '16000' };
    const [one, other] = [await server.speak({ ...body, ...numbers }), await server.speak({ ...body, ...strings })];
    expect([other.status, other.headers.get('X-Seed')]).toEqual([200, '7']);
    expect((await bytesOf(one)).equals(await bytesOf(other))).toBe(true);
    for (const [speed, shown] of [
      ['fast', '"fast"'],
      ['9', '"9"'],
    ])
      await expectError(server.speak({ ...body, speed }), 400, `speed must be a number from 0.25 to 4, got ${shown}`);
  });
});

it('an address may begin with several slashes, as with a base URL that ends with one', async () => {
  expect((await server.fetch('//v1/models')).status).toBe(200);
  expect((await server.post('///v1/audio/speech', { input: 'hello', voice: 'default' })).status).toBe(200);
});

it('a refused request does not count for the rate limit', async () => {
  await server.start({ settings: { keys: { anna: { rateLimit: 2 } } } });
  const speak = async (body: object): Promise<number> => {
    return (await read(server.speak(body, bearer('anna')))).status;
  };
  const statuses = [];
  for (const input of ['', '', '', 'hello', 'hello', 'hello']) statuses.push(await speak({ input, voice: 'default' }));
  expect(statuses).toEqual([400, 400, 400, 200, 200, 429]);
});
