import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { listCache, removeCached } from '../../src/hub/cache.ts';
import { type ModelRequest, resolveModel } from '../../src/hub/resolve.ts';
import { parseModelName } from '../../src/hub/source.ts';
import { expectError } from '../support/errors.ts';
import { freshFolder } from '../support/test-folder.ts';
import { createFakeHub, type FakeHub, readFolder } from './fake-hub.ts';

const weights = randomBytes(700_000);
let files: Record<string, Uint8Array>;
let hub: FakeHub;

beforeAll(async () => {
  files = await readFolder('tests/fixtures/tiny-v1/checkpoint');
  hub = await createFakeHub({
    'OpenBMB/VoxCPM-0.5B': { files },
    'openbmb/VoxCPM-0.5B': { files },
    'a/private': { files: { 'sub/x q8_0.gguf': weights }, token: 'secret', commit: 'v2' },
  });
});
afterAll(() => hub.close());
afterEach(() => {
  hub.fault = undefined;
  hub.forget();
});
const cacheFolder = freshFolder();

const request = (name: string, changes: Partial<ModelRequest> = {}, token = 'secret'): ModelRequest => {
  const source = parseModelName(name, 'modelscope');
  return {
    source,
    cacheFolder: cacheFolder.path,
    hub: { hub: source.hub, endpoint: hub.endpoint, token: token || undefined },
    network: 'online',
    converter: { estimate: (bytes) => bytes, convert: ({ output }) => writeFile(output, 'converted') },
    patience: { attempts: 2, firstDelay: 1, stallTimeout: 30_000 },
    ...changes,
  };
};
const resolve = (...parts: Parameters<typeof request>) => resolveModel(request(...parts));
const failure = (...parts: Parameters<typeof request>) => resolve(...parts).catch((error: unknown) => error);

describe('a model of ModelScope', () => {
  it('is downloaded and converted, once', async () => {
    const path = await resolve('voxcpm-0.5b', {}, '');
    expect(path).toBe(cacheFolder.join('modelscope', 'models', 'OpenBMB--VoxCPM-0.5B-q8_0.gguf'));
    const folder = cacheFolder.join('modelscope', 'hub', 'OpenBMB--VoxCPM-0.5B');
    expect((await readdir(folder)).sort()).toEqual([...Object.keys(files), 'listing.json'].sort());
    for (const [name, content] of Object.entries(files)) {
      expect(Buffer.compare(await readFile(join(folder, name)), content)).toBe(0);
    }
    const [list, file] = hub.exchanges;
    expect(list?.path).toBe('/api/v1/models/OpenBMB/VoxCPM-0.5B/repo/files?Revision=master&Recursive=true');
    expect(file?.path).toMatch(/^\/api\/v1\/models\/OpenBMB\/VoxCPM-0\.5B\/repo\?Revision=master&FilePath=\w+/);
    hub.forget();
    expect(await resolve('modelscope:OpenBMB/VoxCPM-0.5B', { network: 'offline' })).toBe(path);
    expect(hub.exchanges).toEqual([]);
  });

  it('is another than that of Hugging Face', async () => {
    const [one, other] = [await resolve('voxcpm-0.5b'), await resolve('huggingface:voxcpm-0.5b')];
    expect(one).not.toBe(other);
    const names = async () => (await listCache(cacheFolder.path)).map(({ name, kind }) => `${name} ${kind}`);
    expect(await names()).toEqual([
      'modelscope:voxcpm-0.5b download',
      'modelscope:voxcpm-0.5b converted',
      'voxcpm-0.5b download',
      'voxcpm-0.5b converted',
    ]);
    expect(await removeCached(cacheFolder.path, parseModelName('modelscope:voxcpm-0.5b'))).toBeGreaterThan(0);
    expect(await names()).toEqual(['voxcpm-0.5b download', 'voxcpm-0.5b converted']);
  });

  it('gets the token, which the network for its content does not', async () => {
    const path = await resolve('a/private@v2');
    expect(Buffer.compare(await readFile(path), weights)).toBe(0);
    expect(hub.exchanges.map(({ server, authorization, cookie }) => `${server} ${authorization} ${cookie}`)).toEqual([
      'hub Bearer secret m_session_id=secret',
      'hub Bearer secret m_session_id=secret',
      'cdn undefined undefined',
    ]);
    expect(hub.exchanges[1]?.path).toBe('/api/v1/models/a/private/repo?Revision=v2&FilePath=sub%2Fx+q8_0.gguf');
  });

  it('is resumed where the connection broke', async () => {
    hub.fault = ({ server }) => (server === 'cdn' ? { hangUpAfter: 300_000 } : undefined);
    const patience = { attempts: 1, firstDelay: 1, stallTimeout: 30_000 };
    expect(await failure('a/private@v2', { patience })).toMatchObject({ code: 'NETWORK' });
    hub.fault = undefined;
    hub.forget();
    expect(Buffer.compare(await readFile(await resolve('a/private@v2')), weights)).toBe(0);
    const [range] = hub.exchanges.map(({ range }) => range);
    expect(hub.exchanges.map(({ server, range }) => `${server} ${range}`)).toEqual([`hub ${range}`, `cdn ${range}`]);
    // Bytes that had arrived when the connection broke: on a busy machine not all that was sent.
    const start = Number(/^bytes=([1-9]\d*)-$/.exec(range ?? '')?.[1]);
    expect(start).toBeGreaterThan(0);
    expect(start).toBeLessThanOrEqual(300_000);
  });

  it('is listed again when its files are not those of the list', async () => {
    hub.fault = ({ server }) => (server === 'cdn' ? { corrupt: true } : undefined);
    await expectError(
      resolve('a/private@v2'),
      'NETWORK',
      /^sub\/x q8_0\.gguf of model modelscope:a\/private@v2 has sha256 \w+, expected/,
    );
    hub.fault = undefined;
    hub.forget();
    await resolve('a/private@v2');
    expect(hub.exchanges[0]?.path).toContain('/repo/files?');
  });

  it.each([
    ['what does not exist', 'a/none', 'secret', /^model modelscope:a\/none: not found, or .*; .* MODELSCOPE_API/],
    [
      'what needs a token',
      'a/private@v2',
      '',
      /not found, or it is private; .* set MODELSCOPE_API_TOKEN to your access/,
    ],
    ['another branch', 'a/private@v9', 'secret', /^model modelscope:a\/private@v9: not found/],
  ])('is refused with a reason: %s', async (_what, name, token, message) => {
    await expectError(resolve(name, {}, token), 'MODEL_NOT_FOUND', message);
    expect(await readdir(cacheFolder.join('modelscope', 'hub')).catch(() => [])).toEqual([]);
  });

  it.each([
    ['{"Success":true,"Data":{}}', /^invalid file list of model .*a\/private \(no files\); check MODELSCOPE_END/],
    ['{"Data":{"Files":[{"Type":"blob","Path":"../x","Size":1,"Sha256":"00"}]}}', /^invalid .* \(files\.0\.path\)/],
    ['<html>', /^unexpected response for model modelscope:a\/private; check MODELSCOPE_ENDPOINT and proxies$/],
  ])('is refused with an answer that is not of ModelScope: %s', async (body, message) => {
    hub.fault = () => ({ status: 200, body });
    await expectError(resolve('a/private'), 'NETWORK', message);
  });
});
