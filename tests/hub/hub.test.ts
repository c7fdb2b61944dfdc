import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { listRepository } from '../../src/hub/hub.ts';
import { parseModelName } from '../../src/hub/source.ts';
import { createFakeHub, defaultCommit, type FakeHub, gitSha1, readFolder, sha256 } from './fake-hub.ts';

const files = await readFolder('tests/fixtures/tiny-v1/checkpoint');
/** Only tests of stalled connections use a short timeout, since busy machines stall too. */
const patience = { attempts: 3, firstDelay: 1, stallTimeout: 30_000 };
const briefly = { ...patience, stallTimeout: 1000 };
let hub: FakeHub;

beforeAll(async () => {
  hub = await createFakeHub({ 'a/open': { files }, 'a/private': { files, token: 'not-of-the-usual-form' } });
});
afterAll(() => hub.close());
afterEach(() => {
  hub.fault = undefined;
  hub.forget();
});

const list = (name: string, changes: { readonly token?: string; readonly endpoint?: string } = {}, waits = patience) =>
  listRepository(parseModelName(name), { endpoint: hub.endpoint, ...changes }, waits);
const failure = (name: string, changes = {}, waits = patience) =>
  list(name, changes, waits).catch((error: unknown) => error);

describe('listRepository', () => {
  it('lists all pages, with sizes and hashes, at the commit of the revision', async () => {
    const listing = await list('a/open');
    expect(listing).toMatchObject({ repository: 'a/open', revision: 'main', commit: defaultCommit });
    expect(listing.files.map(({ path }) => path).sort()).toEqual(Object.keys(files).sort());
    const found = (name: string) => listing.files.find(({ path }) => path === name);
    const [config = Buffer.of(), weights = Buffer.of()] = [files['config.json'], files['pytorch_model.bin']];
    expect(found('config.json')).toMatchObject({
      size: config.length,
      hash: { algorithm: 'git-sha1', digest: gitSha1(config) },
    });
    expect(found('pytorch_model.bin')).toMatchObject({
      size: weights.length,
      hash: { algorithm: 'sha256', digest: sha256(weights) },
    });
    const trees = hub.exchanges.filter(({ path }) => path.includes('/tree/'));
    expect(trees).toHaveLength(2);
    expect(trees.every(({ path }) => path.includes(defaultCommit))).toBe(true);
  });

  it('sends the token, whatever its form', async () => {
    await list('a/private', { token: 'not-of-the-usual-form' });
    expect([...new Set(hub.exchanges.map(({ authorization }) => authorization))]).toEqual([
      'Bearer not-of-the-usual-form',
    ]);
  });

  it('does not send the token to other hosts that a page links to', async () => {
    const other = await createFakeHub({ 'a/private': { files } });
    const link = `<${other.endpoint}/api/models/a/private/tree/main?cursor=3>; rel="next"`;
    hub.fault = ({ path }) => (path.includes('/tree/') ? { headers: { link } } : undefined);
    await list('a/private', { token: 'not-of-the-usual-form' });
    expect(other.exchanges.map(({ authorization }) => authorization)).toEqual([undefined]);
    await other.close();
  });

  it.each([
    [
      'what does not exist',
      'a/none',
      'MODEL_NOT_FOUND',
      /^expected access to model a\/none, received 401: there is none/,
    ],
    ['a revision that does not exist', 'a/open@v9', 'MODEL_NOT_FOUND', /404: no such revision$/],
    ['what needs a token', 'a/private', 'MODEL_NOT_FOUND', /set HF_TOKEN to a token of yours$/],
  ])('reports the problem: %s', async (_what, name, code, message) => {
    expect(await failure(name)).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(hub.exchanges).toHaveLength(1);
  });

  it.each([
    [401, {}, 'UNAUTHORIZED', /401: set HF_TOKEN/],
    [403, {}, 'FORBIDDEN', /403: set HF_TOKEN/],
    [403, { 'x-error-code': 'GatedRepo' }, 'FORBIDDEN', /403: its owner asks for consent, .* and set HF_TOKEN/],
    [404, {}, 'MODEL_NOT_FOUND', /404: there is none/],
    [400, {}, 'NETWORK', /received status 400$/],
  ])('reports status %s %j without retries', async (status, headers, code, message) => {
    hub.fault = () => ({ status, headers });
    expect(await failure('a/open')).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(hub.exchanges).toHaveLength(1);
  });

  it.each([
    ['a server that is busy', { status: 503 }, patience],
    ['an answer that breaks off', { hangUpAfter: 10 }, patience],
    ['silence', { stallAfter: 0 }, briefly],
  ])('retries after %s a few times', async (_what, fault, waits) => {
    let times = 2;
    hub.fault = () => (times-- > 0 ? fault : undefined);
    await list('a/open', {}, waits);
    hub.forget();
    hub.fault = () => fault;
    expect(await failure('a/open', {}, waits)).toMatchObject({ code: 'NETWORK' });
    expect(hub.exchanges).toHaveLength(3);
  });

  it.each([
    ['a page of a proxy', { body: '<html>Log in</html>' }],
    ['JSON of another kind', { body: '{}' }],
    [
      'a file outside of its folder',
      { body: JSON.stringify([{ type: 'file', path: '../x', size: 1, oid: '0'.repeat(40) }]) },
    ],
    ['a file without a hash', { body: JSON.stringify([{ type: 'file', path: 'x', size: 1 }]) }],
  ])('refuses %s', async (_what, fault) => {
    hub.fault = ({ path }) => (path.includes('/tree/') ? fault : undefined);
    expect(await failure('a/open')).toMatchObject({ code: 'NETWORK' });
  });

  it.each([
    ['http://127.0.0.1:1', 'bad port'],
    ['http://name.invalid', 'ENOTFOUND'],
  ])('reports an unreachable host: %s', async (endpoint, reason) => {
    const error = await failure('a/open', { endpoint });
    expect(error).toMatchObject({
      code: 'NETWORK',
      exitCode: 7,
      message: expect.stringMatching(
        `^expected an answer from ${endpoint} for model a/open, received (${reason}|EAI_AGAIN)$`,
      ),
    });
  });

  it('reports a closed port', async () => {
    const gone = await createFakeHub({});
    await gone.close();
    expect(await failure('a/open', { endpoint: gone.endpoint })).toMatchObject({
      message: expect.stringContaining('received ECONNREFUSED'),
    });
  });

  describe('ends', () => {
    const isTree = ({ path }: { readonly path: string }): boolean => path.includes('/tree/');
    const nextPage = (path: string) => ({ link: `<${hub.endpoint}${path}>; rel="next"` });
    const entry = (name: string) => JSON.stringify({ type: 'file', path: name, size: 1, oid: '0'.repeat(40) });
    const message = (problem: string): string =>
      `the hub's file list of model a/open does not end: ${problem}; check HF_ENDPOINT`;

    it('a page that links to itself', async () => {
      hub.fault = (exchange) => (isTree(exchange) ? { headers: nextPage(exchange.path) } : undefined);
      expect(await failure('a/open')).toMatchObject({
        code: 'NETWORK',
        message: message('its pages go round in a circle'),
      });
      expect(hub.exchanges.filter(isTree)).toHaveLength(1);
    });

    it('pages that link in a circle', async () => {
      hub.fault = (exchange) => {
        const cursor = (Number(/cursor=(\d)/.exec(exchange.path)?.[1] ?? 0) + 1) % 4;
        return isTree(exchange) ? { headers: nextPage(`/api/models/a/open/tree/main?cursor=${cursor}`) } : undefined;
      };
      expect(await failure('a/open')).toMatchObject({ message: message('its pages go round in a circle') });
      expect(hub.exchanges.filter(isTree).length).toBeLessThan(8);
    });

    it('an endless list of pages', async () => {
      let page = 0;
      hub.fault = (exchange) => {
        if (!isTree(exchange)) return undefined;
        page += 1;
        return { body: '[]', headers: nextPage(`/api/models/a/open/tree/main?cursor=${page}`) };
      };
      expect(await failure('a/open')).toMatchObject({ message: message('more than 1000 pages') });
    });

    it('pages with more files than any model has', async () => {
      let page = 0;
      hub.fault = (exchange) => {
        if (!isTree(exchange)) return undefined;
        page += 1;
        const entries = Array.from({ length: 30_000 }, (_, index) => entry(`${page}/${index}`));
        return { body: `[${entries}]`, headers: nextPage(`/api/models/a/open/tree/main?cursor=${page}`) };
      };
      expect(await failure('a/open')).toMatchObject({ message: message('more than 100000 files') });
      expect(page).toBe(4);
    });

    const pages = Buffer.from(`${entry('x')},`.repeat(20_000));
    it.each([
      ['JSON without an end', {}, [Buffer.from('['), pages]],
      ['a body that unpacks without an end', { 'content-encoding': 'gzip' }, [gzipSync(Buffer.alloc(2 ** 24, ' '))]],
    ])('%s', async (_what, headers, pieces) => {
      const left = [...pieces];
      hub.fault = (exchange) => {
        if (!isTree(exchange)) return undefined;
        return {
          headers,
          write: async (write, open) => {
            while (open()) await write(left.length > 1 ? (left.shift() as Buffer) : (left[0] as Buffer));
          },
        };
      };
      expect(await failure('a/open')).toMatchObject({ message: message('more than 8 MB in one answer') });
      expect(hub.exchanges.filter(isTree)).toHaveLength(1);
      // Only what the socket buffers hold, not everything that the server would send.
      expect(hub.sent()).toBeLessThan(64 * 1024 * 1024);
    });

    it('an answer that arrives slowly', async () => {
      hub.fault = () => ({
        write: async (write, open) => {
          while (open()) {
            await write(' ');
            await wait(20);
          }
        },
      });
      const error = await failure('a/open', {}, { ...briefly, stallTimeout: 200 });
      expect(error).toMatchObject({ code: 'NETWORK' });
      expect(hub.exchanges.length).toBeLessThanOrEqual(3);
    });

    it('endless slow pages', async () => {
      let page = 0;
      hub.fault = (exchange) => {
        if (!isTree(exchange)) return undefined;
        page += 1;
        const headers = nextPage(`/api/models/a/open/tree/main?cursor=${page}`);
        return { headers, write: (write) => wait(100).then(() => write('[]')) };
      };
      // Five times the timeout of one answer, with at least three attempts.
      expect(await failure('a/open', {}, { ...briefly, stallTimeout: 400 })).toMatchObject({ code: 'NETWORK' });
      expect(page).toBeLessThan(40);
    });

    it('endless redirects', async () => {
      const hops: number[] = [];
      // Counted by URL, since a request of the previous test may still arrive.
      hub.fault = ({ path }) => {
        const hop = Number(/^\/somewhere\/(\d+)$/.exec(path)?.[1] ?? 0);
        if (hop > 0) hops.push(hop);
        return { status: 302, headers: { location: `/somewhere/${hop + 1}` } };
      };
      expect(await failure('a/open')).toMatchObject({ message: expect.stringContaining('8 redirects') });
      expect([...new Set(hops)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    });
  });
});
