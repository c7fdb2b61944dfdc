/** A server whose GPU fails while it speaks: only the requests that it hits fail. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { fixtures } from '../../golden/tiny-models.ts';
import { eventually } from '../../support/eventually.ts';
import { freshFolder, sharedFolder } from '../../support/test-folder.ts';
import { type FakePackage, type Fault, makeFakePackage, startSvc } from './fake-gpu.ts';

jest.setTimeout(300_000);

const packageFolder = sharedFolder();
let fake: FakePackage;
beforeAll(() => {
  fake = makeFakePackage(packageFolder);
});

const folder = freshFolder();
let server: ChildProcess | undefined;
afterEach(async () => {
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
  server.kill('SIGKILL');
  await once(server, 'close');
});

const fault = (): string => folder.join('fault');
const model = join(fixtures, 'peer-tiny-v1.gguf');

async function serve(kind: Fault, models = ['--model-path', model], variables = {}): Promise<string> {
  let words = '';
  server = startSvc(['serve', '--port', '0', '--threads', '1', '--backend', 'ggml-cuda', ...models], {
    ...fake.environment,
    SVC_CACHE_DIR: folder.join('cache'),
    SVC_SQLITE_PATH: folder.join('voices.sqlite'),
    FAKE_GPU: kind,
    FAKE_GPU_WHEN: fault(),
    ...variables,
  });
  // A process whose output is not read never closes.
  server.stdout?.resume();
  server.stderr?.on('data', (text: Buffer) => {
    words += text.toString();
  });
  const address = (): string | undefined => /"url":"([^"]+)"/.exec(words)?.[1];
  await eventually(() => address() !== undefined || server?.exitCode !== null, 'listening');
  if (address() === undefined) throw new Error(words);
  return address() as string;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function speak(url: string, named?: string): Promise<Answer> {
  const response = await fetch(`${url}/v1/audio/speech`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      input: 'Hello there, this is a test.',
      response_format: 'wav',
      seed: 1,
      max_length: 3,
      inference_timesteps: 2,
      ...(named && { model: named }),
    }),
  });
  return { status: response.status, body: (await response.text()).slice(0, 400) };
}

const faults: readonly (readonly [Fault, string, Readonly<Record<string, string>>?])[] = [
  ['abort-product', 'stopped working: crashed (SIGABRT): fake error'],
  ['lost', 'stopped working: the device CUDA0 is lost'],
  ['hang', 'stopped working: no answer in 6 s', { SVC_DEVICE_TIMEOUT: '6' }],
];

it.each(faults)(
  'answers the request that meets the fault %s, and the next one',
  async (kind, cause, variables = {}) => {
    const url = await serve(kind, undefined, variables);
    expect((await speak(url)).status).toBe(200);
    await writeFile(fault(), '');
    const hit = await speak(url);
    expect(hit.status).toBe(503);
    expect(hit.body).toContain('device_lost');
    expect(hit.body).toContain(cause);
    expect((await speak(url)).status).toBe(200);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    server?.kill('SIGTERM');
    expect(await once(server as ChildProcess, 'close')).toEqual([0, null]);
  },
);

it('goes on with another model on the device', async () => {
  const models = ['--model', `one=${model}`, '--model', `two=${model}`, '--keep-alive', '-1'];
  const url = await serve('abort-product', models);
  for (const model of ['one', 'two']) expect((await speak(url, model)).status).toBe(200);
  await writeFile(fault(), '');
  // The first of their processes to compute meets it.
  const both = await Promise.all([speak(url, 'one'), speak(url, 'two')]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 503]);
  for (const model of ['one', 'two']) expect((await speak(url, model)).status).toBe(200);
});

/** Processes whose parent this is. */
const childrenOf = (pid: number): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((id) => {
      try {
        return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1]) === pid;
      } catch {
        return false;
      }
    });

it('leaves no process behind when it is killed', async () => {
  await serve('good');
  // The process of the check may not have ended yet.
  await eventually(() => childrenOf(server?.pid as number).length === 1, 'the model alone is left');
  const children = childrenOf(server?.pid as number);
  server?.kill('SIGKILL');
  await once(server as ChildProcess, 'close');
  await eventually(() => children.every((id) => childrenOf(1).includes(id) === false), 'the child ended');
});
