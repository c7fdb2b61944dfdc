import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listCache, removeCached } from '../../src/hub/cache.ts';
import { type Conversion, type ModelRequest, type ResolveEvent, resolveModel } from '../../src/hub/resolve.ts';
import { parseModelName } from '../../src/hub/source.ts';
import { errorOf, expectError, expectErrorWith } from '../support/errors.ts';
import { freshFolder } from '../support/test-folder.ts';
import { createFakeHub, type FakeHub, readFolder } from './fake-hub.ts';

let files: Record<string, Uint8Array>;
/** Bytes of the files. */
let total: number;
/** As exported by VoxCPM-ONNX, with large external data. */
const onnxFiles: Readonly<Record<string, Uint8Array>> = {
  'audio_vae_encoder.onnx': randomBytes(120_000),
  'audio_vae_decoder.onnx': randomBytes(5000),
  'voxcpm_prefill.onnx': randomBytes(3000),
  'voxcpm_prefill.onnx.data': randomBytes(300_000),
  'voxcpm_decode_step.onnx': randomBytes(4000),
  'voxcpm_decode_step.onnx.data': randomBytes(400_000),
  'tokenizer.json': Buffer.from('{}'),
};
let hub: FakeHub;
let conversions: Conversion[];
let events: ResolveEvent[];

beforeAll(async () => {
  files = await readFolder('tests/fixtures/tiny-v1/checkpoint');
  total = Object.values(files).reduce((sum, { length }) => sum + length, 0);
});
afterEach(() => hub.close());
const cacheFolder = freshFolder();
beforeEach(async () => {
  hub = await createFakeHub({
    'openbmb/VoxCPM-0.5B': { files: { ...files, 'README.md': Buffer.from('# Model'), 'assets/a.png': Buffer.of(1) } },
    'a/models': { files: { 'x-q8_0.gguf': randomBytes(200_000), 'sub/x f16.gguf': randomBytes(300_000) } },
    'a/onnx': { files: { ...onnxFiles, 'README.md': Buffer.from('# Model'), 'infer.py': Buffer.from('') } },
    'a/variants': {
      files: Object.fromEntries(
        ['q8', 'f16'].flatMap((type) =>
          ['svc-onnx.json', 'flow.onnx', 'flow.onnx.data', 'tokenizer.json'].map((name) => [
            `onnx/${type}/${name}`,
            Buffer.from(`${type} ${name}`),
          ]),
        ),
      ),
    },
    'a/obstructed': { files: { 'x.gguf': randomBytes(1000), 'Listing.json/y.gguf': randomBytes(1000) } },
    'a/gated': { files: { 'x.gguf': randomBytes(1000) }, gated: true },
  });
  conversions = [];
  events = [];
});

const request = (name: string, changes: Partial<ModelRequest> = {}): ModelRequest => ({
  source: parseModelName(name),
  cacheFolder: cacheFolder.path,
  hub: { hub: 'huggingface', endpoint: hub.endpoint },
  network: 'online',
  converter: {
    estimate: (bytes) => bytes,
    convert: async (conversion) => {
      conversions.push(conversion);
      conversion.onProgress(1, 1);
      await writeFile(conversion.output, `converted to ${conversion.type}`);
    },
  },
  onEvent: (event) => events.push(event),
  patience: { attempts: 2, firstDelay: 1, stallTimeout: 30_000 },
  ...changes,
});
const resolve = (name: string, changes?: Partial<ModelRequest>) => resolveModel(request(name, changes));
const failure = (name: string, changes?: Partial<ModelRequest>) => resolve(name, changes).catch((error) => error);
const filesBelow = async (folder: string) =>
  (await readdir(cacheFolder.join(folder), { recursive: true }).catch(() => [])).sort();

async function expectFiles(folder: string, expected: Readonly<Record<string, Uint8Array>>): Promise<void> {
  for (const [name, content] of Object.entries(expected)) {
    expect(Buffer.compare(await readFile(join(folder, name)), content)).toBe(0);
  }
}

describe('resolveModel', () => {
  it('downloads the required files and converts them, once', async () => {
    const path = await resolve('voxcpm-0.5b');
    expect(path).toBe(cacheFolder.join('models', 'openbmb--VoxCPM-0.5B-q8_0.gguf'));
    expect(await readFile(path, 'utf8')).toBe('converted to q8_0');
    const folder = cacheFolder.join('hub', 'openbmb--VoxCPM-0.5B');
    expect(conversions).toMatchObject([{ checkpoint: folder, output: path, type: 'q8_0' }]);
    expect(await filesBelow('hub/openbmb--VoxCPM-0.5B')).toEqual([...Object.keys(files), 'listing.json'].sort());
    await expectFiles(folder, files);
    hub.forget();
    expect(await resolve('voxcpm-0.5b')).toBe(path);
    expect(await resolve('openbmb/VoxCPM-0.5B', { network: 'offline' })).toBe(path);
    expect([hub.exchanges.length, conversions.length]).toEqual([0, 1]);
  });

  it('converts a cached checkpoint to another type without a request', async () => {
    await resolve('voxcpm-0.5b');
    hub.forget();
    const path = await resolve('voxcpm-0.5b', { type: 'f16', network: 'offline' });
    expect([path, hub.exchanges.length]).toEqual([cacheFolder.join('models', 'openbmb--VoxCPM-0.5B-f16.gguf'), 0]);
  });

  it('separates revisions', async () => {
    const commit = 'a'.repeat(40);
    const path = await resolve(`voxcpm-0.5b@${commit}`);
    expect(path).toBe(cacheFolder.join('models', `openbmb--VoxCPM-0.5B@${commit}-q8_0.gguf`));
    expect(await failure('voxcpm-0.5b', { network: 'offline' })).toMatchObject({ code: 'MODEL_NOT_FOUND' });
  });

  it('uses model files unchanged', async () => {
    const path = await resolve('a/models', { type: 'q8_0' });
    expect(path).toBe(cacheFolder.join('hub', 'a--models', 'x-q8_0.gguf'));
    const other = await resolve('a/models', { file: 'sub/x f16.gguf' });
    expect(other).toBe(cacheFolder.join('hub', 'a--models', 'sub', 'x f16.gguf'));
    hub.forget();
    expect(await resolve('a/models', { file: 'sub/x f16.gguf', network: 'offline' })).toBe(other);
    expect([hub.exchanges.length, conversions.length]).toEqual([0, 0]);
    expect(await failure('a/models')).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('uses an ONNX folder unchanged, with its external data', async () => {
    const path = await resolve('a/onnx');
    expect(path).toBe(cacheFolder.join('hub', 'a--onnx'));
    expect(await filesBelow('hub/a--onnx')).toEqual([...Object.keys(onnxFiles), 'listing.json'].sort());
    await expectFiles(path, onnxFiles);
    hub.forget();
    expect(await resolve('a/onnx', { network: 'offline' })).toBe(path);
    expect([hub.exchanges.length, conversions.length]).toEqual([0, 0]);
    expect(await listCache(cacheFolder.path)).toMatchObject([{ name: 'a/onnx', kind: 'download', state: 'complete' }]);
    await rm(join(path, 'voxcpm_prefill.onnx.data'));
    expect(await listCache(cacheFolder.path)).toMatchObject([{ state: 'partial' }]);
    expect(await failure('a/onnx', { network: 'offline' })).toMatchObject({ code: 'MODEL_NOT_FOUND' });
    await resolve('a/onnx');
    expect(hub.sent()).toBe(300_000);
  });

  it('downloads one of several ONNX folders', async () => {
    const path = await resolve('a/variants', { type: 'f16' });
    expect(path).toBe(cacheFolder.join('hub', 'a--variants', 'onnx', 'f16'));
    expect(await readdir(path)).toEqual(['flow.onnx', 'flow.onnx.data', 'svc-onnx.json', 'tokenizer.json']);
    expect(await resolve('a/variants', { file: 'onnx/q8' })).toBe(cacheFolder.join('hub', 'a--variants', 'onnx', 'q8'));
    await expectErrorWith(resolve('a/variants'), 'INVALID_REQUEST', '2 matching ONNX folders; choose one with --file');
  });

  it('reports progress in bytes of the whole model', async () => {
    await resolve('voxcpm-0.5b');
    const downloads = events.filter((event) => event.kind === 'download');
    expect(downloads.at(0)).toEqual({ kind: 'download', done: 0, total });
    expect(downloads.at(-1)).toEqual({ kind: 'download', done: total, total });
    expect(events.at(-1)).toEqual({ kind: 'convert', done: 1, total: 1 });
  });

  it('continues an interrupted download with correct progress', async () => {
    hub.fault = ({ server, path }) =>
      server === 'cdn' && path.includes('signature') && hub.sent() > 500_000 ? { hangUpAfter: 400_000 } : undefined;
    const patience = { attempts: 1, firstDelay: 1, stallTimeout: 30_000 };
    expect(await failure('voxcpm-0.5b', { patience })).toMatchObject({ code: 'NETWORK' });
    hub.fault = undefined;
    const apiCalls = () =>
      hub.exchanges.filter(({ path }) => /^\/api\/models\/[^/]+\/[^/]+\/(tree|revision)/.test(path));
    const before = apiCalls().length;
    await resolve('voxcpm-0.5b');
    expect(hub.sent()).toBeGreaterThanOrEqual(total);
    // Only bytes in transit when the connection broke are sent twice, none of the 400,000 bytes before.
    expect(hub.sent()).toBeLessThan(total + 200_000);
    expect(apiCalls()).toHaveLength(before);
    expect((await listCache(cacheFolder.path)).map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'download complete',
      'converted complete',
    ]);
  });

  it('does the work once for two concurrent calls', async () => {
    expect(new Set(await Promise.all([resolve('voxcpm-0.5b'), resolve('voxcpm-0.5b')])).size).toBe(1);
    expect([conversions.length, hub.sent()]).toEqual([1, total]);
    expect(events.filter(({ kind }) => kind === 'wait')).toHaveLength(1);
  });

  it('refuses a model that does not fit on the disk before downloading', async () => {
    const measureSpace = async () => 17 * 1024 * 1024;
    const error = await failure('voxcpm-0.5b', { measureSpace });
    expect(error).toEqual(errorOf('IO', /^not enough space in .*: 21 MB needed, 17 MB free; /));
    expect(hub.sent()).toBe(0);
  });

  it('leaves no partial conversion when the converter fails', async () => {
    const convert = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOSPC' }));
    const converter = { estimate: () => 0, convert };
    await expectErrorWith(
      resolve('voxcpm-0.5b', { converter }),
      'IO',
      'no space left on device while writing the conversion of model voxcpm-0.5b to ',
    );
    expect(await filesBelow('models')).toEqual([]);
    await writeFile(cacheFolder.join('models', 'openbmb--VoxCPM-0.5B-q8_0.gguf.0123.tmp'), 'of a killed process');
    hub.forget();
    await resolve('voxcpm-0.5b');
    expect([hub.exchanges.length, await filesBelow('models')]).toEqual([0, ['openbmb--VoxCPM-0.5B-q8_0.gguf']]);
  });

  it('makes no requests when offline', async () => {
    await expectError(
      resolve('voxcpm-0.5b', { network: 'offline' }),
      'MODEL_NOT_FOUND',
      `model voxcpm-0.5b is not in ${cacheFolder.path} and HF_HUB_OFFLINE is set; unset it to download the model`,
    );
    expect([hub.exchanges.length, await filesBelow('.')]).toEqual([0, []]);
  });

  it('explains how to access a gated model', async () => {
    await expectError(resolve('a/gated'), 'FORBIDDEN', /access is gated; .*HF_TOKEN/);
  });

  it('stores nothing if the choice of files is ambiguous', async () => {
    expect(await failure('a/models')).toMatchObject({ code: 'INVALID_REQUEST' });
    expect(await filesBelow('hub')).toEqual([]);
  });

  it('stores nothing if a folder has the name of the cached listing', async () => {
    for (const file of ['Listing.json/y.gguf', 'x.gguf']) {
      const refused = resolve('a/obstructed', { file });
      await expectError(refused, 'MODEL_INVALID', /^model a\/obstructed cannot be cached: its folder "Listing.json" /);
    }
    expect(await filesBelow('hub')).toEqual([]);
  });

  it('repeats the request if the cached listing is corrupted', async () => {
    await resolve('a/models', { type: 'q8_0' });
    await writeFile(cacheFolder.join('hub', 'a--models', 'listing.json'), '{"files": [');
    hub.forget();
    await resolve('a/models', { type: 'q8_0' });
    expect(hub.exchanges.length).toBeGreaterThan(0);
    expect(hub.sent()).toBe(0);
  });
});

describe('the cache', () => {
  it('lists and removes', async () => {
    await resolve('voxcpm-0.5b');
    await resolve('voxcpm-0.5b', { type: 'f16' });
    await resolve('a/models', { type: 'q8_0' });
    const listed = await listCache(cacheFolder.path);
    expect(listed.map(({ name, kind, type, bytes }) => `${name} ${kind} ${type} ${bytes > 10}`)).toEqual([
      'a/models download undefined true',
      'voxcpm-0.5b download undefined true',
      'voxcpm-0.5b converted f16 true',
      'voxcpm-0.5b converted q8_0 true',
    ]);
    // From a conversion to a type that is not in the cache.
    const models = cacheFolder.join('models');
    await writeFile(join(models, 'openbmb--VoxCPM-0.5B-q4_k.gguf.0123456789ab.tmp'), '');
    await writeFile(join(models, 'openbmb--VoxCPM-0.5B-chat-q4_k.gguf.0123456789ab.tmp'), '');
    expect(await removeCached(cacheFolder.path, parseModelName('voxcpm-0.5b'))).toBeGreaterThan(1_000_000);
    expect(await readdir(models)).toEqual(['openbmb--VoxCPM-0.5B-chat-q4_k.gguf.0123456789ab.tmp']);
    expect((await listCache(cacheFolder.path)).map(({ name }) => name)).toEqual(['a/models']);
    expect(await removeCached(cacheFolder.path, parseModelName('voxcpm-0.5b'))).toBe(0);
  });
});
