/** `svc batch --broker` with several workers, whose parts are killed. Needs redis-server and the Python package nanio. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { samplesOf, speak, startFront } from '../../bench/broker/processes.ts';
import { startRedis } from '../../bench/broker/redis-process.ts';
import { textOf } from '../../bench/broker/texts.ts';
import { type SvcProcess, startSvc } from '../../bench/svc-process.ts';
import { svcProgram } from '../../bench/svc-program.ts';
import { brokerKeys } from '../../src/broker/shared/keys.ts';
import { createObjectStore } from '../../src/speech-files/object-store.ts';
import { eventually } from '../support/eventually.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { startS3 } from './s3-process.ts';
import { sharedProcesses } from './shared-processes.ts';

const count = 18;
/** Lines at the end that take seconds, even on a fast machine. */
const longCount = 3;
const keys = brokerKeys('speech');

const workers: SvcProcess[] = [];

async function addWorker(): Promise<void> {
  const settings = ['worker', '--broker', redis.url, '--backend', 'cpu', '--threads', '1', '--max-batch', '2'];
  workers.push(await startSvc(settings, 'working', store.environment));
}

interface Batch {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

function startBatch(lines: string, output: string, ...settings: readonly string[]): Batch {
  const own = ['batch', '--input', lines, '--output-dir', output, '--json', '--threads', '1', '--backend', 'cpu'];
  const remote = settings.includes('--broker') ? own.slice(0, -4) : own;
  const child = spawn(process.execPath, [...svcProgram(), ...remote, ...settings], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...store.environment, SVC_CACHE_DIR: join(folder, 'cache') },
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (part: Buffer) => {
      texts[name] += part.toString();
    });
  }
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, ...texts })) };
}

interface Entry {
  readonly id: string;
  readonly status: string;
  readonly file: string;
  readonly bytes: number;
}

const entriesOf = (path: string): readonly Entry[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as Entry)
    : [];

afterAll(() => Promise.all(workers.map((worker) => worker.stop('SIGKILL'))));
const share = sharedProcesses();
const folder = sharedFolder();
const redis = share(startRedis);
const store = share(startS3);
const [input, longInput] = [join(folder, 'lines.jsonl'), join(folder, 'long.jsonl')];
beforeAll(async () => {
  const lines = Array.from({ length: count }, (_, index) => ({
    id: `line-${index}`,
    text: textOf(index, index < count - longCount ? 1 + (index % 2) : 12),
    seed: index,
    ...(index % 10 === 0 && { format: 'flac', speed: 1.25, captions: 'srt' }),
  }));
  const jsonl = (records: readonly object[]): string => records.map((line) => `${JSON.stringify(line)}\n`).join('');
  await writeFile(input, jsonl(lines));
  await writeFile(longInput, jsonl(lines.slice(-longCount)));
  await Promise.all([addWorker(), addWorker()]);
});

it('speaks each line once, as one machine does, though a worker and the batch are killed', async () => {
  const alone = startBatch(input, join(folder, 'alone'));
  expect(await alone.ended).toMatchObject({ code: 0, stderr: '' });

  const manifest = join(folder, 'manifest.jsonl');
  const settings = ['--broker', redis.url, '--manifest', manifest];
  const killed = startBatch(input, 's3://speech/spoken', ...settings);
  await eventually(() => entriesOf(manifest).length >= 3, 'some lines are spoken');
  await workers.shift()?.stop('SIGKILL');
  await eventually(() => entriesOf(manifest).length >= 8, 'others speak on');
  killed.child.kill('SIGKILL');
  await killed.ended;
  const before = entriesOf(manifest).length;

  const [again] = await Promise.all([startBatch(input, 's3://speech/spoken', ...settings).ended, addWorker()]);
  expect(again).toMatchObject({ code: 0, stderr: expect.stringMatching(/^(svc: waiting for another run .*\n)?$/) });
  expect(JSON.parse(again.stdout)).toMatchObject({
    utterances: count,
    skipped: before,
    done: count - before,
    failed: 0,
  });

  const entries = entriesOf(manifest);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(count);
  expect(entries).toHaveLength(count);
  const files = (place: string): readonly string[] =>
    readdirSync(place)
      .filter((name) => /^line/.test(name))
      .sort();
  const spoken = join(store.bucket, 'spoken');
  expect(files(spoken)).toEqual(files(join(folder, 'alone')));
  for (const name of files(spoken)) {
    expect([name, readFileSync(join(spoken, name)).equals(readFileSync(join(folder, 'alone', name)))]).toEqual([
      name,
      true,
    ]);
  }
  expect(readFileSync(join(spoken, 'manifest.jsonl')).equals(readFileSync(manifest))).toBe(true);
  await eventually(async () => (await redis.client.keys(keys.audio('*'))).length === 0, 'nothing is left');
});

it('continues on another machine by the copy of the manifest', async () => {
  const { code, stdout } = await startBatch(input, 's3://speech/spoken', '--broker', redis.url).ended;
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { skipped: count, done: 0 }]);
});

it('writes a folder, and gives way to listeners', async () => {
  await Promise.all(workers.splice(1).map((worker) => worker.stop('SIGTERM')));
  const front = await startFront(redis.url, folder);
  try {
    const output = join(folder, 'spoken');
    const batch = startBatch(longInput, output, '--broker', redis.url);
    const isFull = async (): Promise<boolean> =>
      /"active":2/.test(String(await redis.client.hvals(keys.workerDetails)));
    await eventually(isFull, 'the batch takes all slots');
    const seeds = [1, 2];
    const answers = seeds.map(async (seed) => samplesOf(await speak(front.url, textOf(seed, 2), { seed })));
    expect((await Promise.all(answers)).every(({ length }) => length > 16_000)).toBe(true);
    // The worker has two slots and the batch more lines, so it had to leave some for both listeners.
    expect(workers[0]?.log()).toContain('task returned to the queue');
    expect(entriesOf(join(output, 'manifest.jsonl')).length).toBeLessThan(longCount);
    expect(await batch.ended).toMatchObject({ code: 0, stderr: '' });
    const names = readdirSync(output).filter((name) => /^line/.test(name));
    expect(names).toHaveLength(longCount);
    for (const name of names) {
      const same = readFileSync(join(output, name)).equals(readFileSync(join(folder, 'alone', name)));
      expect([name, same]).toEqual([name, true]);
    }
  } finally {
    await front.stop('SIGKILL');
  }
});

it('names a bucket that it cannot use', async () => {
  const { code, stderr } = await startBatch(input, 's3://nowhere/spoken', '--broker', redis.url, '--retries', '0')
    .ended;
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^svc: error: cannot (read|write) s3:\/\/nowhere\/spoken\/\S+: .+\n$/),
  ]);
});

it('uploads large files in parts, and leaves nothing of those that are canceled', async () => {
  const objects = createObjectStore(store.environment);
  const path = join(folder, 'large.wav');
  const bytes = randomBytes(12 * 2 ** 20);
  await writeFile(path, bytes);
  // The SDK reads credentials from the process.
  const before = { ...process.env };
  Object.assign(process.env, store.environment);
  try {
    const never = new AbortController().signal;
    await objects.upload(path, 's3://speech/large.wav', { signal: never });
    expect(readFileSync(join(store.bucket, 'large.wav')).equals(bytes)).toBe(true);
    const canceled = new AbortController();
    const uploading = objects.upload(path, 's3://speech/none.wav', { signal: canceled.signal });
    canceled.abort();
    await expect(uploading).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await objects.size('s3://speech/none.wav')).toBeUndefined();
  } finally {
    process.env = before;
  }
});
