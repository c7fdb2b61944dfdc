/** Masters that die while a listener hears an utterance. Needs redis-server. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { freePort, type RedisProcess, startRedis } from '../../bench/broker/redis-process.ts';
import { parseBrokerUrl } from '../../src/broker/address.ts';
import { brokerKeys } from '../../src/broker/keys.ts';
import { eventually } from '../server/start-server.ts';
import { openSpeech, speakAlone } from './speech-over-broker.ts';

/** About five seconds. */
const pace = { steps: 400, delayMilliseconds: 10 };
const servers: RedisProcess[] = [];
let sentinel: ChildProcess | undefined;
let folder: string | undefined;

afterEach(async () => {
  sentinel?.kill('SIGKILL');
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

const add = async (...settings: readonly string[]): Promise<RedisProcess> => {
  const server = await startRedis({ settings: ['--repl-diskless-sync-delay', '0', ...settings] });
  servers.push(server);
  return server;
};

/** Resolves when the server is a replica that has the data of its master. */
const synced = (server: RedisProcess): Promise<void> =>
  eventually(
    async () => /role:slave[\s\S]*master_link_status:up/.test(await server.client.info('replication')),
    'the replica has the data',
    20_000,
  );

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
  await synced(await add('--replicaof', '127.0.0.1', String(master.port)));
  const port = await startSentinel(master);
  await using speech = await openSpeech(parseBrokerUrl(`redis+sentinel://127.0.0.1:${port}/speech`), pace);
  const { samples, longestPause } = await speech.speak((chunks) => {
    if (chunks === 12) void master.kill();
  });
  expect(samples).toEqual(await speakAlone(pace.steps));
  // The master was needed.
  expect(longestPause).toBeGreaterThan(500);
}, 60_000);

it('a listener hears each sample once when a node of a cluster fails', async () => {
  for (let index = 0; index < 6; index += 1) await add('--cluster-enabled', 'yes', '--cluster-node-timeout', '1000');
  const places = servers.map(({ port }) => `127.0.0.1:${port}`);
  execFileSync('redis-cli', ['--cluster', 'create', ...places, '--cluster-replicas', '1', '--cluster-yes'], {
    stdio: 'ignore',
  });
  for (const { client } of servers) {
    const isUp = async (): Promise<boolean> => /cluster_state:ok/.test(String(await client.call('CLUSTER', 'INFO')));
    await eventually(isUp, 'the cluster is up', 20_000);
  }
  for (const replica of servers.slice(3)) await synced(replica);
  const slot = Number(await servers[0]?.client.cluster('KEYSLOT', brokerKeys('q').prefix));
  const owner = servers[Math.floor((slot * 3) / 16_384)] as RedisProcess;
  await using speech = await openSpeech(parseBrokerUrl(`redis+cluster://${places.slice(0, 3).join()}`), pace);
  const { samples, longestPause } = await speech.speak((chunks) => {
    if (chunks === 12) void owner.kill();
  });
  expect(samples).toEqual(await speakAlone(pace.steps));
  expect(longestPause).toBeGreaterThan(500);
}, 60_000);
