/** Several models behind one broker. Needs redis-server. */
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { samplesOf, startFront, startWorker } from '../../bench/broker/processes.ts';
import { startRedis } from '../../bench/broker/redis-process.ts';
import type { ServerProcess, SvcProcess } from '../../bench/svc-process.ts';
import { svcProgram } from '../../bench/svc-program.ts';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import { openBrokerFront } from '../../src/broker/front/open-broker-front.ts';
import { parseBrokerUrl } from '../../src/broker/shared/address.ts';
import { startBrokerWorker } from '../../src/broker/worker/broker-worker.ts';
import { createEngineFromBackend } from '../../src/engine/engine.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { createFakeBackend } from '../engine/fake-backend.ts';
import { errorOf, post } from '../server/start-server.ts';
import { eventually } from '../support/eventually.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { sharedProcesses } from './shared-processes.ts';

const fixtures = join('tests', 'fixtures');
const small = join(fixtures, 'peer-tiny-v1.gguf');
const large = join(fixtures, 'peer-tiny-v2.gguf');
const anna = ['--lora', `anna=${join(fixtures, 'lora', 'tiny-v2-all', 'lora')}`];

/** Keeps models without workers. */
let front: ServerProcess;
/** Forgets them at once. */
let forgetful: ServerProcess;
let beta: SvcProcess;
const running: SvcProcess[] = [];

async function addWorker(name: string, path: string, ...settings: readonly string[]): Promise<SvcProcess> {
  const own = ['--model-name', name, '--model-path', path, '--max-batch', '2', ...settings];
  const worker = await startWorker(redis.url, ...own);
  running.push(worker);
  return worker;
}

async function addFront(...settings: readonly string[]): Promise<ServerProcess> {
  const started = await startFront(redis.url, folder, settings);
  running.push(started);
  return started;
}

afterAll(() => Promise.all(running.map((each) => each.stop('SIGKILL'))));
const redis = sharedProcesses()(startRedis);
const folder = sharedFolder();
beforeAll(async () => {
  await addWorker('alpha', small);
  await addWorker('alpha', small);
  beta = await addWorker('beta', large, ...anna);
  front = await addFront('--alias', 'tts-1=beta', '--keep-alive', '-1');
  forgetful = await addFront('--keep-alive', '0');
});

const speak = (model: string | undefined, fields: object = {}, { url }: ServerProcess = front): Promise<Response> =>
  post(`${url}/v1/audio/speech/stream`, { input: 'Hello there.', model, seed: 3, max_length: 8, ...fields });

const heard = async (model: string | undefined, fields: object = {}): Promise<readonly number[]> => [
  ...(await samplesOf(await speak(model, fields))),
];

const refusal = async (answer: Response): Promise<unknown> => [answer.status, (await errorOf(answer)).message];

interface Listed {
  readonly id: string;
  readonly state: string;
  readonly sample_rate: number;
}

async function listed({ url }: ServerProcess): Promise<readonly Listed[]> {
  return ((await (await fetch(`${url}/v1/models`)).json()) as { readonly data: readonly Listed[] }).data;
}
const namesOf = async (server: ServerProcess): Promise<string> =>
  (await listed(server)).map(({ id, state }) => `${id} ${state}`).join(', ');

it('requests reach the model that they name, or its alias, and the first one without a name', async () => {
  expect(await namesOf(front)).toBe('alpha loaded, beta loaded, tts-1 loaded');
  const [alpha, large] = [await heard('alpha'), await heard('beta')];
  expect(alpha.length).toBeGreaterThan(1_000);
  expect(large.length).toBeGreaterThan(1_000);
  expect(large).not.toEqual(alpha);
  expect(await heard('tts-1')).toEqual(large);
  expect(await heard(undefined)).toEqual(alpha);
  expect(await refusal(await speak('voxcpm'))).toEqual([404, 'unknown model "voxcpm" (available: alpha, beta, tts-1)']);
  const { models } = (await (await fetch(`${front.url}/status`)).json()) as { readonly models: readonly object[] };
  expect(models).toMatchObject([
    { name: 'alpha', capacity: 4 },
    { name: 'beta', capacity: 2, aliases: ['tts-1'] },
  ]);
  const metrics = await (await fetch(`${front.url}/metrics`)).text();
  expect(metrics).toContain('svc_broker_model_workers{model="alpha"} 2');
  expect(metrics).toContain('svc_broker_workers 3');
});

it('LoRA adapters are those of the workers of the model', async () => {
  expect(await (await fetch(`${front.url}/v1/loras`)).json()).toMatchObject({ data: [{ id: 'anna' }] });
  expect(await heard('beta', { lora: 'anna' })).not.toEqual(await heard('beta'));
  expect(await refusal(await speak('alpha', { lora: 'anna' }))).toEqual([
    400,
    'unknown LoRA adapter "anna" (none is loaded)',
  ]);
});

it('the workers of a name have one model', async () => {
  await expect(addWorker('alpha', large)).rejects.toThrow(
    /queue "speech" serves .+ as "alpha" on .+, not .+; choose another --model-name/,
  );
});

it('a model without workers waits for them, or is forgotten, and another one appears', async () => {
  const before = await heard('beta');
  await beta.stop('SIGTERM');
  await eventually(async () => (await namesOf(front)).includes('beta unloaded'), 'it is missed');
  expect(await refusal(await speak('beta'))).toEqual([503, 'no worker is running for model beta; retry later']);
  expect((await fetch(`${front.url}/readyz`)).status).toBe(200);
  await eventually(async () => (await namesOf(forgetful)) === 'alpha loaded', 'it is forgotten');
  // Though a single model is left, it does not speak for the other.
  expect(await refusal(await speak('beta', {}, forgetful))).toEqual([404, 'unknown model "beta" (available: alpha)']);

  await addWorker('gamma', large);
  for (const server of [front, forgetful]) {
    await eventually(async () => (await namesOf(server)).includes('gamma loaded'), 'another one is found');
  }
  expect(await heard('gamma')).toEqual(before);

  // Under the old name, another model.
  await addWorker('beta', small);
  for (const server of [front, forgetful]) {
    await eventually(async () => (await namesOf(server)).includes('beta loaded'), 'it is back');
  }
  expect(await heard('beta')).toEqual(await heard('alpha'));
  expect(await refusal(await speak('beta', { lora: 'anna' }))).toMatchObject([400, expect.stringContaining('anna')]);
});

it('a batch chooses one of them', async () => {
  const list = join(folder, 'lines.txt');
  await writeFile(list, 'Hello there.\n');
  const batch = async (output: string, ...settings: readonly string[]): Promise<Buffer> => {
    const own = ['batch', '--input', list, '--output-dir', join(folder, output), '--broker', redis.url, '--quiet'];
    const line = [...own, '--seed', '3', '--max-length', '8', ...settings];
    await promisify(execFile)(process.execPath, [...svcProgram(), ...line]);
    const [name = ''] = (await readdir(join(folder, output))).filter((each) => each.endsWith('.wav'));
    return readFile(join(folder, output, name));
  };
  const large = await batch('large', '--default-model', 'gamma');
  expect(decodeWav(large).samples.length).toBeGreaterThan(1_000);
  expect((await batch('first')).equals(await batch('alpha', '--default-model', 'alpha'))).toBe(true);
  expect((await batch('again', '--default-model', 'gamma')).equals(large)).toBe(true);
  expect((await batch('first')).equals(large)).toBe(false);
});

it('each model has a queue of its own, and a default can be chosen', async () => {
  const address = parseBrokerUrl(redis.url);
  const logger = pino({ level: 'silent' });
  const start = async (modelName: string, slots: number) => {
    const engine = createEngineFromBackend(createFakeBackend({ stopAt: 2 }), { maxBatch: 1 });
    return startBrokerWorker({
      ...{ address, queue: 'other', modelName, engine, identity: modelName, adapters: [], slots, logger },
    });
  };
  const workers = [await start('one', 1), await start('two', 2)];
  const metrics = createMetrics();
  const { signal } = new AbortController();
  const opened = await openBrokerFront({
    ...{ address, queue: 'other', defaultModel: 'two', maxWaiting: 0, metrics, logger, signal },
  });
  try {
    const { models, queue } = opened;
    expect(models.list().map(({ name, capacity }) => [name, capacity])).toEqual([
      ['two', 2],
      ['one', 1],
    ]);
    expect(models.resolve(undefined)).toBe('two');
    const enter = async (model: string) => {
      const lease = await models.lease(model, { wait: (work) => work(signal) });
      return lease.queue?.enter({ name: model, signal });
    };
    const first = await enter('one');
    await expect(enter('one')).rejects.toMatchObject({ code: 'QUEUE_FULL' });
    const second = await enter('two');
    expect(second?.id).not.toBe(first?.id);
    expect(await queue.cancel(second?.id)).toEqual([second?.id]);
    await eventually(() => second?.signal.aborted === true, 'it is canceled');
    expect(first?.signal.aborted).toBe(false);
    first?.release();
    second?.release();
    const hasRoom = (): Promise<boolean> =>
      enter('one').then(
        () => true,
        () => false,
      );
    await eventually(hasRoom, 'there is room again');
  } finally {
    await opened.close();
    await Promise.all(workers.map((worker) => worker.stop(1_000)));
  }
});
