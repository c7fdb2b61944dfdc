import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Download, downloadFile, partPath } from '../../src/hub/download.ts';
import { createHubRequest } from '../../src/hub/hub-request.ts';
import type { ContentHash } from '../../src/hub/listing.ts';
import { errorOf, expectError, expectErrorWith } from '../support/errors.ts';
import { freshFolder } from '../support/test-folder.ts';
import { createFakeHub, defaultCommit, type FakeHub, type Fault, gitSha1, sha256 } from './fake-hub.ts';

const large = randomBytes(700_000);
const small = randomBytes(5_000);
/** Only the test of stalled connections uses a short timeout, since busy machines stall too. */
const patience = { attempts: 3, firstDelay: 1, stallTimeout: 30_000 };
const briefly = { ...patience, stallTimeout: 1000 };

let hub: FakeHub;

beforeAll(async () => {
  hub = await createFakeHub({
    'a/open': { files: { 'large.bin': large, 'small.json': small, 'empty.txt': Buffer.alloc(0) } },
    'a/private': { files: { 'large.bin': large, 'small.json': small }, token: 'secret' },
  });
});
afterAll(() => hub.close());
afterEach(() => {
  hub.fault = undefined;
  hub.forget();
});
const folder = freshFolder();

interface Changes extends Partial<Download> {
  readonly repository?: string;
  readonly token?: string;
}

const hashOf = (content: Uint8Array): ContentHash =>
  content.length < 100_000
    ? { algorithm: 'git-sha1', digest: gitSha1(content) }
    : { algorithm: 'sha256', digest: sha256(content) };

function download(name: string, content: Uint8Array, changes: Changes = {}): Download {
  const { repository = 'a/open', token } = changes;
  return {
    url: `${hub.endpoint}/${repository}/resolve/${defaultCommit}/${name}`,
    path: folder.join(name),
    subject: `${name} of model ${repository}`,
    size: content.length,
    hash: hashOf(content),
    hub: 'huggingface',
    request: createHubRequest({ hub: 'huggingface', endpoint: hub.endpoint, token }),
    patience,
    ...changes,
  };
}

/** Makes the first answers of the content network fail, one after the other. */
function breakAnswers(...faults: readonly (Fault | undefined)[]): void {
  const left = [...faults];
  hub.fault = ({ server }) => (server === 'cdn' ? left.shift() : undefined);
}

const fromCdn = () => hub.exchanges.filter(({ server }) => server === 'cdn');
const failure = (of: Download) => downloadFile(of).catch((error: unknown) => error);

/** First byte of a `Range` header. */
const startOf = (range: string | undefined): number => Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1]);

describe('downloadFile', () => {
  it.each([
    ['large.bin', large],
    ['small.json', small],
    ['empty.txt', Buffer.alloc(0)],
  ])('downloads %s and leaves nothing else', async (name, content) => {
    const progress: number[] = [];
    await downloadFile(download(name, content, { onProgress: (received) => progress.push(received) }));
    expect(Buffer.compare(await readFile(folder.join(name)), content)).toBe(0);
    expect(await readdir(folder.path)).toEqual([name]);
    expect([progress.at(0), progress.at(-1)]).toEqual([0, content.length]);
  });

  it('sends the token only to the hub, also after its own redirect', async () => {
    const options = { repository: 'a/private', token: 'secret' };
    await downloadFile(download('large.bin', large, options));
    await downloadFile(download('small.json', small, options));
    expect(hub.exchanges.map(({ server, status, authorization }) => `${server} ${status} ${authorization}`)).toEqual([
      'hub 302 Bearer secret',
      'cdn 200 undefined',
      'hub 307 Bearer secret',
      'hub 200 Bearer secret',
    ]);
  });

  it('continues where a connection broke', async () => {
    breakAnswers({ hangUpAfter: 100_000 }, { hangUpAfter: 200_000 });
    await downloadFile(download('large.bin', large));
    // Only bytes still in transit when the connection broke are requested again.
    const [first, second, third] = fromCdn();
    expect([first?.status, second?.status, third?.status]).toEqual([200, 206, 206]);
    const [begin, middle] = [startOf(second?.range), startOf(third?.range)];
    expect(begin).toBeGreaterThan(0);
    expect(begin).toBeLessThanOrEqual(100_000);
    expect(middle).toBeGreaterThan(begin);
    expect(middle).toBeLessThanOrEqual(begin + 200_000);
    expect(third?.sent).toBe(large.length - middle);
    expect(Buffer.compare(await readFile(folder.join('large.bin')), large)).toBe(0);
  });

  it('continues in a later call', async () => {
    const broken = download('large.bin', large, { patience: { ...patience, attempts: 1 } });
    breakAnswers({ hangUpAfter: 100_000 });
    expect(await failure(broken)).toMatchObject({ code: 'NETWORK' });
    const part = `large.bin.${sha256(large).slice(0, 12)}.part`;
    expect(await readdir(folder.path)).toEqual([part]);
    const { size } = await stat(folder.join(part));
    expect(size).toBeGreaterThan(0);
    hub.forget();
    await downloadFile(download('large.bin', large));
    expect(fromCdn().map(({ range }) => range)).toEqual([`bytes=${size}-`]);
    expect(await readdir(folder.path)).toEqual(['large.bin']);
  });

  it('requests nothing if all bytes are present', async () => {
    const all = download('large.bin', large);
    await writeFile(partPath(all.path, all.hash), large);
    await downloadFile(all);
    expect(hub.exchanges).toEqual([]);
  });

  it.each([
    ['a status that passes', [{ status: 503 }, { status: 429, headers: { 'retry-after': '0' } }]],
    ['an address that has expired', [{ status: 403 }]],
    ['silence', [{ stallAfter: 1000 }]],
    ['a connection that breaks before the first byte', [{ hangUpAfter: 0 }]],
    ['another place of the file', [{ hangUpAfter: 1000 }, { headers: { 'content-range': 'bytes 0-9/10' } }]],
    ['no range for a range', [{ hangUpAfter: 1000 }, { ignoreRange: true }]],
    ['a range that is refused', [{ hangUpAfter: 1000 }, { status: 416 }]],
  ] as [string, Fault[]][])('recovers from %s', async (_what, faults) => {
    breakAnswers(...faults);
    const silent = faults.some(({ stallAfter }) => stallAfter !== undefined);
    await downloadFile(download('large.bin', large, { patience: silent ? briefly : patience }));
    expect(Buffer.compare(await readFile(folder.join('large.bin')), large)).toBe(0);
  });

  it('gives up after several attempts without progress', async () => {
    breakAnswers(...Array.from({ length: 20 }, () => ({ status: 500 })));
    const refused = downloadFile(download('large.bin', large));
    await expectError(refused, 'NETWORK', 'the request for large.bin of model a/open failed with status 500');
    expect(fromCdn()).toHaveLength(3);
  });

  it('refuses and discards content with a different hash', async () => {
    breakAnswers({ corrupt: true });
    const wrong = sha256(large.map((byte) => byte ^ 1));
    const refused = downloadFile(download('large.bin', large));
    await expectError(refused, 'NETWORK', `large.bin of model a/open has sha256 ${wrong}, expected ${sha256(large)}`);
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('restarts once if the partial file is corrupted', async () => {
    const progress: number[] = [];
    const onProgress = (received: number): void => void progress.push(received);
    const all = download('large.bin', large, { onProgress });
    await writeFile(partPath(all.path, all.hash), randomBytes(50_000));
    await downloadFile(all);
    expect([progress[0], progress.indexOf(0) > 0, progress.at(-1)]).toEqual([50_000, true, large.length]);
    expect(fromCdn().map(({ range }) => range)).toEqual(['bytes=50000-', undefined]);
    expect(Buffer.compare(await readFile(all.path), large)).toBe(0);
  });

  it('refuses a different ETag before downloading', async () => {
    hub.fault = ({ server }) =>
      server === 'hub' ? { headers: { 'x-linked-etag': `"${'0'.repeat(64)}"` } } : undefined;
    const refused = downloadFile(download('large.bin', large));
    await expectErrorWith(refused, 'NETWORK', `has ETag ${'0'.repeat(64)}, expected`);
    expect(hub.sent()).toBe(0);
  });

  it('refuses more bytes than announced', async () => {
    expect(await failure(download('large.bin', large, { size: 1000 }))).toMatchObject({ code: 'NETWORK' });
    expect(existsSync(folder.join('large.bin'))).toBe(false);
  });

  it.each([
    ['no such file', 'none.bin', {}, 'MODEL_NOT_FOUND', /: not found/],
    ['no token', 'large.bin', {}, 'MODEL_NOT_FOUND', /no such repository, or it is private; .*set HF_TOKEN/],
    ['a wrong token', 'large.bin', { token: 'x' }, 'FORBIDDEN', /access denied \(status 403\); check .* HF_TOKEN/],
  ])('suggests a fix for %s without retries', async (_what, name, token, code, message) => {
    const changes = { repository: name === 'large.bin' ? 'a/private' : 'a/open', ...token };
    await expectError(downloadFile(download(name, large, changes)), code, message);
    expect(hub.exchanges).toHaveLength(1);
  });

  it('stops when canceled, and keeps the partial file', async () => {
    const controller = new AbortController();
    breakAnswers({ stallAfter: 300_000 });
    const onProgress = (received: number) => received === 300_000 && controller.abort();
    const { signal } = controller;
    expect(await failure(download('large.bin', large, { signal, onProgress }))).toMatchObject({ name: 'AbortError' });
    const [part = ''] = await readdir(folder.path);
    expect((await readFile(folder.join(part))).length).toBe(300_000);
  });

  it('stops endless redirects', async () => {
    hub.fault = ({ path }) => ({ status: 302, headers: { location: path } });
    expect(await failure(download('large.bin', large))).toMatchObject({
      message: expect.stringContaining('too many redirects'),
    });
    hub.fault = () => ({ status: 302, headers: { location: 'file:///etc/passwd' } });
    expect(await failure(download('large.bin', large))).toMatchObject({ code: 'NETWORK' });
  });

  it('reports a full disk', async () => {
    const full = download('large.bin', large);
    // Every write to this device fails as on a full disk.
    await symlink('/dev/full', partPath(full.path, full.hash));
    await expectError(
      downloadFile(full),
      'IO',
      `no space left on device while writing large.bin of model a/open to ${folder.path}`,
    );
    expect(existsSync(full.path)).toBe(false);
  });

  describe('ends', () => {
    /** The hub's answers for the file itself. */
    const isFile = ({ path }: { readonly path: string }): boolean => path.includes('/cached/');
    const fault = (broken: Fault): void => {
      hub.fault = (exchange) => (isFile(exchange) ? broken : undefined);
    };

    it('a small file that arrives slowly', async () => {
      fault({
        write: async (write, open) => {
          for (let at = 0; at < small.length && open(); at += 1) {
            await write(small.subarray(at, at + 1));
            await wait(50);
          }
        },
      });
      const error = await failure(download('small.json', small, { patience: { ...briefly, stallTimeout: 500 } }));
      expect(error).toEqual(
        errorOf('NETWORK', 'the download of small.json of model a/open stalled: less than 1 KiB/s for 0.5 s'),
      );
      expect(hub.exchanges.filter(isFile)).toHaveLength(3);
    });

    it('a server that disconnects after every few bytes', async () => {
      fault({ hangUpAfter: 10 });
      expect(await failure(download('small.json', small))).toMatchObject({ code: 'NETWORK' });
      expect(hub.exchanges.filter(isFile)).toHaveLength(3);
    });

    it.each([
      ['a body without an end', {}, Buffer.alloc(2 ** 20)],
      ['a body that unpacks without an end', { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(2 ** 24))],
    ])('%s', async (_what, headers, piece) => {
      fault({
        headers,
        write: async (write, open) => {
          while (open()) await write(piece);
        },
      });
      const refused = downloadFile(download('small.json', small));
      await expectError(refused, 'NETWORK', 'small.json of model a/open has more than the expected 5000 bytes');
      expect(hub.exchanges.filter(isFile)).toHaveLength(1);
      expect(await readdir(folder.path)).toEqual([]);
    });

    it.each([
      ['shorter', 10],
      ['longer', 10 ** 12],
    ])('a length that is %s than the file', async (_what, length) => {
      fault({ headers: { 'content-length': String(length) } });
      await expectError(
        downloadFile(download('small.json', small)),
        'NETWORK',
        `unexpected response for small.json of model a/open: it has ${length} bytes, expected 5000`,
      );
    });
  });
});
