import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { listRepository } from '../../src/hub/hub.ts';
import { parseModelName } from '../../src/hub/source.ts';
import { expectError } from '../support/errors.ts';
import { createFakeHub, defaultCommit, type FakeHub, type Fault, gitSha1, readFolder, sha256 } from './fake-hub.ts';

const files = await readFolder('tests/fixtures/tiny-v1/checkpoint');
/** A machine that is busy is silent for a while too: only tests of silence wait shortly. */
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
  listRepository(parseModelName(name), { hub: 'huggingface', endpoint: hub.endpoint, ...changes }, waits);
const failure = (name: string, changes = {}, waits = patience) =>
  list(name, changes, waits).catch((error: unknown) => error);
const entry = (name: string) => JSON.stringify({ type: 'file', path: name, size: 1, oid: '0'.repeat(40) });

describe('listRepository', () => {
  it('lists all pages, with sizes and hashes, at the commit of the revision', async () => {
    const listing = await list('a/open');
    expect(listing).toMatchObject({ repository: 'a/open', revision: 'main', commit: defaultCommit });
    expect(listing.files.map(({ path }) => path).sort()).toEqual(Object.keys(files).sort());
    const found = (name: string) => listing.files.find(({ path }) => path === name);
    const [config = Buffer.of(), weights = Buffer.of()] = [files['config.json'], files['pytorch_model.bin']];
    const hash = { algorithm: 'git-sha1', digest: gitSha1(config) };
    expect(found('config.json')).toMatchObject({ size: config.length, hash });
    const largeHash = { algorithm: 'sha256', digest: sha256(weights) };
    expect(found('pytorch_model.bin')).toMatchObject({ size: weights.length, hash: largeHash });
    const trees = hub.exchanges.filter(({ path }) => path.includes('/tree/'));
    expect(trees).toHaveLength(2);
    expect(trees.every(({ path }) => path.includes(defaultCommit))).toBe(true);
  });

  it('shows the token, whatever its form', async () => {
    await list('a/private', { token: 'not-of-the-usual-form' });
    const shown = new Set(hub.exchanges.map(({ authorization }) => authorization));
    expect(shown).toEqual(new Set(['Bearer not-of-the-usual-form']));
  });

  it('does not show the token to a place that a page of the list leads to', async () => {
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
      /^model a\/none: no such repository, or it is private; check .*, or set HF_TOKEN/,
    ],
    ['a revision that does not exist', 'a/open@v9', /^model a\/open@v9: no such revision$/],
    ['what needs a token', 'a/private', /set HF_TOKEN to your access token$/],
  ])('says what is wrong: %s', async (_what, name, message) => {
    await expectError(list(name), 'MODEL_NOT_FOUND', message);
    expect(hub.exchanges).toHaveLength(1);
  });

  it.each([
    [401, {}, 'UNAUTHORIZED', /access denied \(status 401\); set HF_TOKEN/],
    [403, {}, 'FORBIDDEN', /access denied \(status 403\); set HF_TOKEN/],
    [403, { 'x-error-code': 'GatedRepo' }, 'FORBIDDEN', /access is gated; accept its terms .* and set HF_TOKEN/],
    [404, {}, 'MODEL_NOT_FOUND', /: not found$/],
    [400, {}, 'NETWORK', /failed with status 400$/],
  ])('reports status %s %j at once', async (status, headers, code, message) => {
    hub.fault = () => ({ status, headers });
    expect(await failure('a/open')).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(hub.exchanges).toHaveLength(1);
  });

  it.each([
    ['a server that is busy', { status: 503 }, patience],
    ['an answer that breaks off', { hangUpAfter: 10 }, patience],
    ['silence', { stallAfter: 0 }, briefly],
  ])('asks again after %s, some times', async (_what, fault, waits) => {
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
    ['a file outside of its folder', { body: `[${entry('../x')}]` }],
    ['a file without a hash', { body: '[{"type":"file","path":"x","size":1}]' }],
  ])('refuses %s', async (_what, fault) => {
    hub.fault = ({ path }) => (path.includes('/tree/') ? fault : undefined);
    expect(await failure('a/open')).toMatchObject({ code: 'NETWORK' });
  });

  it.each([
    ['http://127.0.0.1:1', 'bad port'],
    ['http://name.invalid', 'the host name cannot be resolved'],
  ])('reports that there is no answer from %s', async (endpoint, reason) => {
    const error = await failure('a/open', { endpoint });
    expect(error).toMatchObject({
      code: 'NETWORK',
      exitCode: 7,
      message: expect.stringMatching(
        `^cannot reach ${new URL(endpoint).host} for model a/open: ${reason}(; check the network, proxy settings and .*)?$`,
      ),
    });
  });

  it('reports a closed port', async () => {
    const gone = await createFakeHub({});
    await gone.close();
    expect(await failure('a/open', { endpoint: gone.endpoint })).toMatchObject({
      message: expect.stringContaining(': connection refused; check the network'),
    });
  });

  describe('ends', () => {
    const isTree = ({ path }: { readonly path: string }): boolean => path.includes('/tree/');
    const nextPage = (path: string) => ({ link: `<${hub.endpoint}${path}>; rel="next"` });
    /** Breaks each page of the list, with its number from 1. */
    const breakPages = (fault: (page: number, path: string) => Fault) => {
      let page = 0;
      hub.fault = (exchange) => {
        if (!isTree(exchange)) return undefined;
        page += 1;
        return fault(page, exchange.path);
      };
    };
    /** Answers with each page, and that another follows. */
    const breakPagesWith = (fault: (page: number) => Fault) =>
      breakPages((page) => ({ headers: nextPage(`/api/models/a/open/tree/main?cursor=${page}`), ...fault(page) }));
    const trees = () => hub.exchanges.filter(isTree);
    const message = (problem: string): string =>
      `the file list of model a/open does not end: ${problem}; check HF_ENDPOINT`;

    it('a list whose page leads to itself', async () => {
      breakPages((_page, path) => ({ headers: nextPage(path) }));
      await expectError(list('a/open'), 'NETWORK', message('its pages form a loop'));
      expect(trees()).toHaveLength(1);
    });

    it('a list whose pages go round in a circle', async () => {
      breakPages((_page, path) => {
        const cursor = (Number(/cursor=(\d)/.exec(path)?.[1] ?? 0) + 1) % 4;
        return { headers: nextPage(`/api/models/a/open/tree/main?cursor=${cursor}`) };
      });
      expect(await failure('a/open')).toMatchObject({ message: message('its pages form a loop') });
      expect(trees().length).toBeLessThan(8);
    });

    it('a list that always has another page', async () => {
      breakPagesWith(() => ({ body: '[]' }));
      expect(await failure('a/open')).toMatchObject({ message: message('more than 1000 pages') });
    });

    it('pages with more files than any model has', async () => {
      breakPagesWith((page) => ({
        body: `[${Array.from({ length: 30_000 }, (_, index) => entry(`${page}/${index}`))}]`,
      }));
      expect(await failure('a/open')).toMatchObject({ message: message('more than 100000 files') });
      // A busy machine asks for a page again.
      expect(new Set(trees().map(({ path }) => path)).size).toBe(4);
    });

    const pages = Buffer.from(`${entry('x')},`.repeat(20_000));
    it.each([
      ['JSON without an end', {}, [Buffer.from('['), pages]],
      ['a body that unpacks without an end', { 'content-encoding': 'gzip' }, [gzipSync(Buffer.alloc(2 ** 24, ' '))]],
    ])('%s', async (_what, headers, pieces) => {
      const left = [...pieces];
      breakPages(() => ({
        headers,
        write: async (write, open) => {
          while (open()) await write(left.length > 1 ? (left.shift() as Buffer) : (left[0] as Buffer));
        },
      }));
      expect(await failure('a/open')).toMatchObject({ message: message('more than 8 MB in one response') });
      expect(trees()).toHaveLength(1);
      // The sockets hold it, not what the server would send next.
      expect(hub.sent()).toBeLessThan(64 * 1024 * 1024);
    });

    it('an answer that comes drop by drop', async () => {
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

    it('pages that come slowly for ever', async () => {
      breakPagesWith(() => ({ write: (write) => wait(100).then(() => write('[]')) }));
      // Five times the patience for one answer, and at least three attempts in it.
      expect(await failure('a/open', {}, { ...briefly, stallTimeout: 400 })).toMatchObject({ code: 'NETWORK' });
      expect(trees().length).toBeLessThan(40);
    });

    it('redirects without an end', async () => {
      const hops: number[] = [];
      // Counted by address: a request that the test before gave up may still arrive.
      hub.fault = ({ path }) => {
        const hop = Number(/^\/somewhere\/(\d+)$/.exec(path)?.[1] ?? 0);
        if (hop > 0) hops.push(hop);
        return { status: 302, headers: { location: `/somewhere/${hop + 1}` } };
      };
      expect(await failure('a/open')).toMatchObject({ message: expect.stringContaining('(limit: 8)') });
      expect([...new Set(hops)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    });
  });
});
