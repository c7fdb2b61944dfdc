/** Sends tasks to workers that know their voice, over a model that only sleeps. Needs redis-server. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { simulateSpeech, textOfSeconds } from '../../bench/broker/capacity/simulated-speech.ts';
import { type RedisProcess, startRedis } from '../../bench/broker/redis-process.ts';
import { type BrokerFront, openBrokerFront } from '../../src/broker/front/open-broker-front.ts';
import { parseBrokerUrl } from '../../src/broker/shared/address.ts';
import { brokerKeys } from '../../src/broker/shared/keys.ts';
import { type BrokerWorker, startBrokerWorker } from '../../src/broker/worker/broker-worker.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { eventually } from '../support/eventually.ts';

const logger = pino({ level: 'silent' });
let redis: RedisProcess;

beforeAll(async () => {
  redis = await startRedis();
});

afterAll(async () => {
  await redis?.[Symbol.asyncDispose]();
});

const startOne = (queue: string): Promise<BrokerWorker> =>
  startBrokerWorker({
    address: parseBrokerUrl(redis.url),
    queue,
    engine: simulateSpeech(4),
    identity: 'simulated',
    adapters: [],
    slots: 8,
    logger,
  });

async function openFront(queue: string): Promise<BrokerFront> {
  const address = parseBrokerUrl(redis.url);
  const { signal } = new AbortController();
  return openBrokerFront({ address, queue, maxWaiting: 100, metrics: createMetrics(), logger, signal });
}

async function withWorkers(
  queue: string,
  count: number,
  use: (front: BrokerFront, workers: readonly BrokerWorker[]) => Promise<void>,
): Promise<void> {
  const workers = await Promise.all(Array.from({ length: count }, () => startOne(queue)));
  const front = await openFront(queue);
  try {
    await use(front, workers);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop(0)));
    await front.close();
  }
}

const voiceOf = (index: number): object => ({
  promptAudio: { samples: Float32Array.of(0.1, (index + 1) / 100), sampleRate: 16_000 },
  promptText: 'The words of the recording.',
});

/** @returns milliseconds to the end */
async function speak({ source }: BrokerFront, voice: object, seconds = 0.4): Promise<number> {
  const began = performance.now();
  for await (const _ of source.stream({ text: textOfSeconds(seconds), seed: 1, ...voice }));
  return performance.now() - began;
}

const sumOf = (workers: readonly BrokerWorker[], field: 'voiceHits' | 'voiceMisses'): number =>
  workers.reduce((sum, worker) => sum + worker.report()[field], 0);

it('leaves tasks to workers that know their voice, unless these are busier', async () => {
  await withWorkers('many', 4, async (front, workers) => {
    for (let index = 0; index < 120; index += 1) await speak(front, voiceOf(((index * 7919) % 101) % 20), 0.08);
    // Each of 20 voices is new once; without a preference, it would be new to almost each of the four workers.
    expect(sumOf(workers, 'voiceMisses')).toBeGreaterThanOrEqual(20);
    expect(sumOf(workers, 'voiceMisses')).toBeLessThan(45);
    expect(sumOf(workers, 'voiceHits') + sumOf(workers, 'voiceMisses')).toBe(120);
    const before = workers.map((worker) => worker.report().done);
    // As many as all have slots: fewer may find room at some of them before the others are awake.
    await Promise.all(Array.from({ length: 32 }, () => speak(front, voiceOf(0), 2)));
    const isShared = (): boolean => workers.every((worker, index) => worker.report().done > (before[index] as number));
    await eventually(isShared, 'all workers have spoken the voice of 32 requests at once');
  });
}, 60_000);

it('keeps few voices of a worker, and none of one that has left', async () => {
  const keys = brokerKeys('few');
  const voices = (): Promise<readonly string[]> => redis.client.keys(keys.voice('*'));
  await withWorkers('few', 1, async (front) => {
    await speak(front, {});
    expect(await voices()).toEqual([]);
    for (let index = 0; index < 24; index += 1) await speak(front, voiceOf(index));
    await eventually(async () => (await voices()).length === 20, 'the oldest voices are forgotten');
  });
  expect(await voices()).toEqual([]);
}, 60_000);

it('takes a task itself when the worker that knows its voice does not', async () => {
  const keys = brokerKeys('silent');
  await withWorkers('silent', 1, async (front, [worker]) => {
    await speak(front, voiceOf(0));
    const [voice = ''] = await redis.client.keys(keys.voice('*'));
    const [silent, dead] = [randomUUID(), randomUUID()];
    // The worker has spoken the voice itself, but this one is less busy.
    await redis.client.zadd(voice, 2e9, silent, 2e9, dead);
    await redis.client.set(keys.load(silent, 'whole'), -1);
    expect(await speak(front, voiceOf(0))).toBeLessThan(4_000);
    expect(await redis.client.exists(keys.marker(silent, 'whole'))).toBe(1);
    expect(await redis.client.zscore(voice, dead)).toBeNull();
    expect(worker?.report().voiceHits).toBe(1);
  });
}, 60_000);
