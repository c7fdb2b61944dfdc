/** Workers and front ends that start before their broker, as after a power failure. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type RedisProcess, startRedis } from '../../bench/broker/redis-process.ts';
import { samplesOf, speak, startFront, startWorker } from '../../bench/broker/svc-process.ts';
import { eventually } from '../server/start-server.ts';

let folder: string;
let nodes: RedisProcess[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-broker-start-'));
  nodes = [];
});
afterEach(async () => {
  await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
  await rm(folder, { recursive: true, force: true });
});

async function serve(broker: string, bringUp: () => Promise<void>) {
  const starting = Promise.all([startWorker(broker), startFront(broker, folder)]);
  // Long enough for both to have tried.
  await wait(6_000);
  await bringUp();
  const [worker, front] = await starting;
  return {
    front,
    worker,
    stop: () => Promise.all([worker.stop('SIGKILL'), front.stop('SIGKILL')]),
  };
}

const ready = async (url: string): Promise<number> => (await fetch(`${url}/readyz`)).status;

it('wait for a Redis, and say so', async () => {
  const redis = await startRedis();
  nodes.push(redis);
  await redis.kill();
  const { front, worker, stop } = await serve(redis.url, redis.start);
  try {
    for (const { log } of [front, worker]) {
      expect(log()).toMatch(/cannot reach Redis at .*: connection refused","msg":"waiting for the broker"/);
    }
    expect((await samplesOf(await speak(front.url, 'Yes.', { seed: 1 }))).length).toBeGreaterThan(1_000);
    expect(await ready(front.url)).toBe(200);
    await redis.kill();
    await eventually(async () => (await ready(front.url)) === 503, 'the front end is not ready');
    await redis.start();
    await eventually(async () => (await ready(front.url)) === 200, 'the front end is ready', 20_000);
    for (const { log } of [front, worker]) expect(log()).toContain('broker connection restored');
  } finally {
    await stop();
  }
}, 90_000);

it('wait until a cluster is complete', async () => {
  for (let node = 0; node < 3; node += 1) nodes.push(await startRedis({ settings: ['--cluster-enabled', 'yes'] }));
  const places = nodes.map(({ port }) => `127.0.0.1:${port}`);
  const create = async (): Promise<void> =>
    void execFileSync('redis-cli', ['--cluster', 'create', ...places, '--cluster-yes'], { stdio: 'ignore', timeout: 30_000 });
  const { front, stop } = await serve(`redis+cluster://${places.join()}`, create);
  try {
    expect((await samplesOf(await speak(front.url, 'Yes.', { seed: 1 }))).length).toBeGreaterThan(1_000);
  } finally {
    await stop();
  }
}, 90_000);
