/** API keys from a file: names, limits, changes, and what stays secret. */
import { createHash } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import { rename, symlink, unlink, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Logger, pino } from 'pino';
import { type KeyFile, openKeyFile, readKeys } from '../../../src/server/http/key-file.ts';
import { presets } from '../../presets.ts';
import { eventually } from '../../support/eventually.ts';
import { readRows } from '../../support/rows.ts';
import { freshFolder } from '../../support/test-folder.ts';
import { documentOf } from '../openapi-document.ts';
import { bearer, bytesOf, errorOf, read, type StartOptions, startServer, statusAndJson } from '../start-server.ts';
import { expectError, freshServer } from '../test-server.ts';

let path: string;
let file: KeyFile | undefined;
let log: string[];
let logger: Logger;

afterEach(() => file?.close());
const folder = freshFolder();
beforeEach(() => {
  path = folder.join('keys.json');
  log = [];
  logger = pino({ base: null }, { write: (line: string) => void log.push(line) });
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** In one step, so that the watch never finds half a file. */
async function write(keys: unknown): Promise<void> {
  await writeFile(`${path}.new`, typeof keys === 'string' ? keys : JSON.stringify(keys));
  await rename(`${path}.new`, path);
}

async function open(keys: unknown): Promise<KeyFile> {
  await write(keys);
  file = await openKeyFile(path, { defaults: { rateLimit: 100 }, logger, checkMilliseconds: 20 });
  return file;
}

describe('a file of keys', () => {
  it('has keys or their hashes, with names and limits', async () => {
    const { find } = await open({
      anna: { key: 'key-of-anna', rate_limit: 3 },
      ben: { sha256: sha256('key-of-ben').toUpperCase(), rate_limit: null, concurrency_limit: 2, weight: 4 },
      'home-assistant@lan': { key: 'third' },
    });
    expect(find('key-of-anna')).toMatchObject({ name: 'anna', rateLimit: 3, concurrencyLimit: undefined });
    expect(find('key-of-ben')).toMatchObject({ name: 'ben', rateLimit: undefined, concurrencyLimit: 2, weight: 4 });
    expect(find('third')).toMatchObject({ name: 'home-assistant@lan', rateLimit: 100 });
    for (const wrong of ['', 'key-of-ann', 'key-of-annaa', 'anna', sha256('key-of-ben')]) {
      expect(find(wrong)).toBeUndefined();
    }
  });

  const refused = readRows<'keys' | 'message'>('tests/server/http/refused-keys.tsv');
  it.each(refused)('is refused in one line that shows no key: $keys', async ({ keys, message }) => {
    await write(keys);
    const error = await readKeys(path, {}).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringContaining(message) });
    expect((error as Error).message).not.toMatch(/secret|12345|\n/);
    expect((error as Error).message).toContain(path);
  });

  it('that is missing is refused', async () => {
    await expect(openKeyFile(path, { defaults: {}, logger })).rejects.toThrow(`${path}: no such file`);
    // A watch notices a missing file once: this one later than that of the keys.
    const later = folder.join('later');
    await new Promise<void>((resolve) => void watchFile(later, () => resolve()));
    unwatchFile(later);
    expect(log).toEqual([]);
  });

  it('that is empty is refused at first, and later revokes all keys', async () => {
    await expect(open({})).rejects.toThrow(`the key file ${path} has no keys`);
    const { find } = await open({ anna: { key: 'first' } });
    await write({});
    await eventually(() => find('first') === undefined, 'no more keys');
  });

  it('is read again when it changes, and a broken one keeps the old keys', async () => {
    const { find } = await open({ anna: { key: 'first' } });
    await write({ anna: { key: 'second' }, ben: { key: 'third' } });
    await eventually(() => find('second') !== undefined, 'the new key');
    expect([find('first'), find('third')?.name]).toEqual([undefined, 'ben']);
    expect(log.at(-1)).toContain('"keys":["anna","ben"]');

    const complaints = (): number => log.filter((line) => line.includes('the old ones stay valid')).length;
    await write('{"anna": {"key": "fourth"');
    await eventually(() => complaints() === 1, 'a complaint');
    expect(find('second')?.name).toBe('anna');
    await unlink(path);
    await eventually(() => complaints() === 2, 'another complaint');
    expect(find('second')?.name).toBe('anna');

    // As Kubernetes replaces secrets.
    await writeFile(folder.join('new'), JSON.stringify({ anna: { key: 'fifth' } }));
    await symlink('new', folder.join('link'));
    await rename(folder.join('link'), path);
    await eventually(() => find('fifth') !== undefined, 'the key of the link');
    expect(log.join('')).not.toMatch(/first|second|third|fourth|fifth/);
  });
});

describe('a server with several keys', () => {
  const keys = {
    anna: { key: 'key-of-anna', rate_limit: 3 },
    ben: { key: 'key-of-ben', rate_limit: null, concurrency_limit: 1 },
    cleo: { key: 'key-of-cleo' },
  };
  const server = freshServer(async (options: StartOptions = {}) => {
    const { find: findKey } = await open(keys);
    return startServer({ ...options, settings: { findKey, hosts: 'any', ...options.settings } });
  });
  const hello = { input: 'hello', response_format: 'pcm' };

  it('logs whose request it was by name only', async () => {
    for (const key of ['key-of-anna', 'key-of-ben', 'key-of-anyone']) {
      await (await server.fetch('/health?api_key=key-of-anna', bearer(key))).arrayBuffer();
    }
    await eventually(() => server.log.length === 3, 'three lines');
    const lines = server.log.map((line) => JSON.parse(line));
    expect(lines.map(({ key, res }) => `${key} ${res.statusCode}`)).toEqual(['anna 200', 'ben 200', 'undefined 401']);
    expect(server.log.join('')).not.toContain('key-of-');
  });

  it('takes no key from the URL', async () => {
    for (const query of ['api_key=key-of-anna', 'key=key-of-anna', 'token=key-of-anna']) {
      expect((await server.fetch(`/health?${query}`)).status).toBe(401);
    }
  });

  it('limits the requests per minute of each key', async () => {
    const speak = (key: string) => server.speak(hello, bearer(key));
    const began = Date.now();
    for (const remaining of ['2', '1', '0']) {
      const response = await read(speak('key-of-anna'));
      const { headers } = response;
      const counted = ['limit', 'remaining'].map((name) => headers.get(`ratelimit-${name}`));
      expect([response.status, ...counted]).toEqual([200, '3', remaining]);
      expect(headers.get('x-ratelimit-remaining')).toBe(remaining);
    }
    // Requests without computation are not counted.
    expect((await server.fetch('/health', bearer('key-of-anna'))).status).toBe(200);
    const refused = await speak('key-of-anna');
    const wait = Number(refused.headers.get('retry-after'));
    expect([refused.status, await errorOf(refused)]).toEqual([
      429,
      {
        message: `this API key is limited to 3 requests per minute; retry in ${wait} s`,
        type: 'rate_limit_error',
        param: null,
        code: 'rate_limit_exceeded',
      },
    ]);
    expect(refused.headers.get('ratelimit-reset')).toBe(String(wait));
    // A minute after the first of them, in whole seconds.
    const reset = Number(refused.headers.get('x-ratelimit-reset'));
    expect(reset).toBeGreaterThanOrEqual(Math.floor(began / 1000) + 60);
    expect(reset).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 60);
    expect(wait).toBeLessThanOrEqual(60);
    const other = await speak('key-of-cleo');
    expect([other.status, other.headers.get('ratelimit-limit')]).toEqual([200, '100']);
    const free = await speak('key-of-ben');
    expect([free.status, free.headers.get('ratelimit-limit')]).toEqual([200, null]);
    await Promise.all([other.arrayBuffer(), free.arrayBuffer()]);
  });

  it('refuses an exceeding request before it reads the body', async () => {
    for (let count = 0; count < 3; count += 1) await server.hear(hello, bearer('key-of-anna'));
    const response = await server.send('/v1/voices', { id: 'x' }, bearer('key-of-anna'));
    expect(response.status).toBe(429);
  });

  it('limits the requests at once of each key', async () => {
    await server.start({ slots: 1, maxWaiting: 8 });
    const running = await server.occupy(hello, bearer('key-of-ben'));
    const refused = await server.speak(hello, bearer('key-of-ben'));
    await expectError(refused, 429, 'this API key is limited to 1 request at once; retry when one has finished');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const waiting = server.speak(hello, bearer('key-of-cleo'));
    await Promise.all([running.end(), bytesOf(waiting)]);
    await server.hear(hello, bearer('key-of-ben'));
  });

  it('frees the place of a client that left, waiting or running', async () => {
    await server.start({ slots: 1, maxWaiting: 8 });
    const busy = await server.occupy(hello, bearer('key-of-cleo'));
    const leaving = new AbortController();
    const waiting = server.speak(hello, { ...bearer('key-of-ben'), signal: leaving.signal });
    const waitingCount = async (): Promise<unknown> =>
      (await server.json('/health', bearer('key-of-ben'))).queue_waiting;
    await eventually(async () => (await waitingCount()) === 1, 'it waits');
    leaving.abort();
    await expect(waiting).rejects.toThrow();
    await eventually(async () => (await waitingCount()) === 0, 'it left');
    const next = server.speak(hello, bearer('key-of-ben'));
    await Promise.all([busy.end(), bytesOf(next)]);
  });

  it('lets a key cancel its own requests only', async () => {
    const headers = { ...bearer('key-of-cleo').headers, 'X-Request-Id': 'mine' };
    const { answer, release } = await server.occupy(hello, { headers });
    const cancel = (body: object, key: string) =>
      statusAndJson(server.post('/v1/audio/speech/cancel', body, bearer(key)));
    for (const body of [{}, { job_id: 1 }, { job_id: 'mine' }])
      expect(await cancel(body, 'key-of-ben')).toMatchObject([200, { cancelled: [] }]);
    expect(await cancel({ job_id: 'mine' }, 'key-of-cleo')).toMatchObject([200, { cancelled: [1] }]);
    release();
    expect((await answer).status).toBe(499);
  });

  it('keeps a running request whose key was removed', async () => {
    const running = await server.occupy(hello, bearer('key-of-cleo'));
    await write({ anna: keys.anna });
    const status = async (): Promise<number> => (await server.fetch('/health', bearer('key-of-cleo'))).status;
    await eventually(async () => (await status()) === 401, 'the key is removed');
    expect((await running.end()).length).toBeGreaterThan(0);
  });

  it.each(['/v1/voices', '/v1/audio/voices', '/voices', '/v1/models', '/v1/audio/models'])(
    'lists %s without a key if the lists are public',
    async (list) => {
      await server.start({ settings: { lists: 'public' } });
      expect((await server.fetch(list)).status).toBe(200);
      expect((await server.fetch(list, bearer('wrong'))).status).toBe(200);
      for (const closed of ['/v1/voices/alma', '/health', '/metrics', '/v2/voices', '/v1/loras', '/loras']) {
        expect((await server.fetch(closed)).status).toBe(401);
      }
      expect((await server.send('/v1/voices', {})).status).toBe(401);
      expect((await documentOf(server)).paths[list]?.get?.security).toEqual([]);
    },
  );

  it('shows transcripts in a public list to clients with a key only', async () => {
    await server.start({ settings: { lists: 'public' } });
    const texts = async (init?: RequestInit): Promise<readonly unknown[]> => {
      const { voices } = await server.json<{ voices: { prompt_text: unknown }[] }>('/v1/voices', init);
      return voices.map(({ prompt_text }) => prompt_text);
    };
    expect(await texts()).toEqual(presets.map(() => null));
    expect(await texts(bearer('wrong'))).toEqual(presets.map(() => null));
    expect((await texts(bearer('key-of-ben'))).every((text) => typeof text === 'string')).toBe(true);
  });
});
