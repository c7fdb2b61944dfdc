/** Workers and front ends that start before their broker, as after a power failure. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { samplesOf, speak } from '../../bench/broker/processes.ts';
import { type RedisProcess, startRedis } from '../../bench/broker/redis-process.ts';
import { startSvc } from '../../bench/svc-process.ts';
import { eventually } from '../support/eventually.ts';
import { freshFolder } from '../support/test-folder.ts';

let nodes: RedisProcess[];

afterEach(() => Promise.all(nodes.map((node) => node[Symbol.asyncDispose]())));
const folder = freshFolder();
beforeEach(() => {
  nodes = [];
});

/** Starts both, and brings the broker up once both have missed it. */
async function serve(broker: string, bringUp: () => Promise<void>) {
  const missing = 'waiting for the broker';
  const workerSettings = ['worker', '--broker', broker, '--backend', 'cpu', '--threads', '1'];
  const frontSettings = ['serve', '--broker', broker, '--port', '0', '--voice-dir', folder.path];
  const [worker, front] = await Promise.all([startSvc(workerSettings, missing), startSvc(frontSettings, missing)]);
  const stop = () => Promise.all([worker.stop('SIGKILL'), front.stop('SIGKILL')]);
  const urlOf = (): string => /"url":"([^"]+)".*"msg":"listening"/.exec(front.log())?.[1] ?? '';
  try {
    await bringUp();
    await eventually(() => urlOf() !== '', 'the front end listens');
  } catch (error) {
    await stop();
    throw new Error(`${worker.log()}\n${front.log()}`, { cause: error });
  }
  return { front, worker, url: urlOf(), stop };
}

const readiness = async (url: string): Promise<number> => (await fetch(`${url}/readyz`)).status;

it('wait for a Redis, and say so', async () => {
  const redis = await startRedis();
  nodes.push(redis);
  await redis.kill();
  const { front, worker, url, stop } = await serve(redis.url, redis.start);
  try {
    for (const { ready } of [front, worker]) {
      expect(ready.reason).toBe(`cannot reach Redis at ${redis.url}: connection refused`);
    }
    expect((await samplesOf(await speak(url, 'Yes.', { seed: 1 }))).length).toBeGreaterThan(1_000);
    expect(await readiness(url)).toBe(200);
    await redis.kill();
    await eventually(async () => (await readiness(url)) === 503, 'the front end is not ready');
    await redis.start();
    await eventually(async () => (await readiness(url)) === 200, 'the front end is ready');
    const isSaid = () => [front, worker].every(({ log }) => log().includes('broker connection restored'));
    await eventually(isSaid, 'both log it');
  } finally {
    await stop();
  }
});

it('wait until a cluster is complete', async () => {
  const settings = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'];
  const node = await startRedis({ settings });
  nodes.push(node);
  const complete = async (): Promise<void> => void (await node.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383'));
  const { url, stop } = await serve(`redis+cluster://127.0.0.1:${node.port}`, complete);
  try {
    expect((await samplesOf(await speak(url, 'Yes.', { seed: 1 }))).length).toBeGreaterThan(1_000);
  } finally {
    await stop();
  }
});
