/** Masters that die while a listener hears an utterance. Needs redis-server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { freePort, type RedisProcess, startRedis } from '../../bench/broker/redis-process.ts';
import { parseBrokerUrl } from '../../src/broker/address.ts';
import { eventually } from '../server/start-server.ts';
import { openSpeech, speakAlone } from './speech-over-broker.ts';

/** About five seconds. */
const pace = { steps: 400, delayMilliseconds: 10 };
const servers: RedisProcess[] = [];
let sentinel: ChildProcess | undefined;
let folder: string;

afterEach(async () => {
  sentinel?.kill('SIGKILL');
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const add = async (...settings: readonly string[]): Promise<RedisProcess> => {
  const server = await startRedis({ settings });
  servers.push(server);
  return server;
};

/** Returns the port of a Sentinel that knows the replica. */
async function startSentinel(master: RedisProcess): Promise<number> {
  const port = await freePort();
  folder = await mkdtemp(join(tmpdir(), 'svc-sentinel-'));
  const file = join(folder, 'sentinel.conf');
  const lines = [
    `sentinel monitor speech 127.0.0.1 ${master.port} 1`,
    'sentinel down-after-milliseconds speech 1000',
    'sentinel failover-timeout speech 2000',
  ];
  await writeFile(file, lines.join('\n'));
  sentinel = spawn('redis-server', [file, '--sentinel', '--port', String(port)], { stdio: 'ignore' });
  const client = new Redis(port, { maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  const replicas = async (): Promise<number> =>
    ((await client.call('SENTINEL', 'REPLICAS', 'speech')) as object[]).length;
  await eventually(async () => (await replicas()) === 1, 'the Sentinel knows the replica', 20_000);
  client.disconnect();
  return port;
}

it('a listener hears each sample once when a Sentinel replaces the master', async () => {
  const master = await add();
  await add('--replicaof', '127.0.0.1', String(master.port));
  const port = await startSentinel(master);
  await using speech = await openSpeech(parseBrokerUrl(`redis+sentinel://127.0.0.1:${port}/speech`), pace);
  const { samples, longestPause } = await speech.speak((chunks) => {
    if (chunks === 12) void master.kill();
  });
  expect(samples).toEqual(await speakAlone(pace.steps));
  // The master was needed.
  expect(longestPause).toBeGreaterThan(500);
}, 60_000);
