/** Behavior across processes: the lock, and leftovers of killed processes. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createFakeHub, type FakeHub, readFolder } from '../../hub/fake-hub.ts';
import { outcomeOf } from '../../support/children.ts';
import { eventually } from '../../support/eventually.ts';
import { svcProgram } from '../../support/svc-program.ts';
import { freshFolder } from '../../support/test-folder.ts';

let hub: FakeHub;
let size: number;

beforeAll(async () => {
  const files = await readFolder('tests/fixtures/tiny-v1/checkpoint');
  size = Object.values(files).reduce((sum, { length }) => sum + length, 0);
  hub = await createFakeHub({ 'openbmb/VoxCPM-0.5B': { files } });
});
afterAll(() => hub.close());
afterEach(() => (hub.fault = undefined));
const cacheFolder = freshFolder();
beforeEach(() => hub.forget());

function svc(argv: readonly string[], more: Readonly<Record<string, string>> = {}): ChildProcessWithoutNullStreams {
  const { PATH, HOME } = process.env;
  return spawn(process.execPath, [svcProgram, ...argv], {
    env: { PATH, HOME, HF_ENDPOINT: hub.endpoint, SVC_CACHE_DIR: cacheFolder.path, ...more },
  });
}

/** f16 needs no native addon. */
const pull = () => svc(['models', 'pull', 'voxcpm-0.5b', '--type', 'f16']);

const modelPath = () => cacheFolder.join('models', 'openbmb--VoxCPM-0.5B-f16.gguf');
const downloads = () => cacheFolder.join('hub', 'openbmb--VoxCPM-0.5B');
const lock = () => cacheFolder.join('locks', 'openbmb--VoxCPM-0.5B.lock');

/** Waits until a `.part` file has this many bytes. */
const arrived = (bytes: number): Promise<void> =>
  eventually(async () => {
    const names = await readdir(downloads()).catch(() => []);
    const part = names.find((name) => name.endsWith('.part') && name.startsWith('pytorch'));
    return part !== undefined && (await stat(join(downloads(), part))).size === bytes;
  }, `${bytes} bytes arrive`);

it('downloads once for two processes', async () => {
  const both = await Promise.all([outcomeOf(pull()), outcomeOf(pull())]);
  for (const { code, stdout } of both) expect([code, `${stdout}`]).toEqual([0, `${modelPath()}\n`]);
  expect(hub.sent()).toBe(size);
  // Either may be first. A second process that starts after the first has ended doesn't wait.
  expect(both.filter(({ stderr }) => stderr.includes('converting model voxcpm-0.5b'))).toHaveLength(1);
  expect(await readdir(cacheFolder.join('models'))).toEqual(['openbmb--VoxCPM-0.5B-f16.gguf']);
});

it('continues after a killed process and takes over its lock', async () => {
  const weights = ({ path, server }: { path: string; server: string }) =>
    server === 'cdn' && hub.sent() > 500_000 && path;
  hub.fault = (exchange) => (weights(exchange) ? { stallAfter: 400_000 } : undefined);
  const killed = pull();
  const ended = outcomeOf(killed);
  await arrived(400_000);
  killed.kill('SIGKILL');
  expect(await ended).toMatchObject({ signal: 'SIGKILL' });
  expect([existsSync(lock()), existsSync(modelPath())]).toEqual([true, false]);
  hub.fault = undefined;
  const { code, stderr } = await outcomeOf(pull());
  expect([code, existsSync(modelPath()), existsSync(lock())]).toEqual([0, true, false]);
  expect(stderr).toContain('waiting for another process that is preparing model voxcpm-0.5b');
  // Not a byte twice.
  expect(hub.sent()).toBe(size);
  expect(hub.exchanges.at(-1)?.range).toBe('bytes=400000-');
});

it('exits with 130 on the first Ctrl-C and releases its lock', async () => {
  hub.fault = ({ server }) => (server === 'cdn' && hub.sent() > 500_000 ? { stallAfter: 400_000 } : undefined);
  const child = pull();
  const ended = outcomeOf(child);
  await arrived(400_000);
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 130, stderr: expect.stringMatching(/svc: canceled\n$/) });
  expect(existsSync(lock())).toBe(false);
  expect((await readdir(downloads())).filter((name) => name.endsWith('.part'))).toHaveLength(1);
});

it('uses a named model, the second time without the hub', async () => {
  const output = cacheFolder.join('out.wav');
  const speech = ['--text', 'hi', '--max-length', '2', '--threads', '1', '--backend', 'cpu', '--output', output];
  const argv = ['tts', '--model', 'voxcpm-0.5b', '--json', ...speech];
  for (const more of [{}, { HF_ENDPOINT: 'http://name.invalid' }]) {
    const { code, stdout } = await outcomeOf(svc(argv, more));
    expect([code, JSON.parse(stdout.toString())]).toEqual([
      0,
      expect.objectContaining({ patches: 2, sampleRate: 16_000 }),
    ]);
  }
  expect(await readdir(cacheFolder.join('models'))).toEqual(['openbmb--VoxCPM-0.5B-q8_0.gguf']);
});
