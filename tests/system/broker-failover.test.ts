/** Masters that die while a listener hears an utterance. Needs redis-server. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { freePort, type RedisProcess, startRedis } from '../../bench/broker/redis-process.ts';
import { parseBrokerUrl } from '../../src/broker/shared/address.ts';
import { connectBroker } from '../../src/broker/shared/connection.ts';
import { brokerKeys } from '../../src/broker/shared/keys.ts';
import { eventually } from '../support/eventually.ts';
import { freshFolder } from '../support/test-folder.ts';
import { openSpeech, speakAlone } from './speech-over-broker.ts';

/** About five seconds. */
const pace = { steps: 400, delayMilliseconds: 10 };
const silent = { failed: () => undefined, restored: () => undefined };
const servers: RedisProcess[] = [];
const sentinels: ChildProcess[] = [];

afterEach(async () => {
  for (const sentinel of sentinels.splice(0)) sentinel.kill('SIGKILL');
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]();
});
const folder = freshFolder();

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
  );

interface Sentinel {
  readonly process: ChildProcess;
  readonly port: number;
}

/** Starts Sentinels that know the replica and each other. */
async function startSentinels(master: RedisProcess, count: number): Promise<readonly Sentinel[]> {
  const started: Sentinel[] = [];
  for (let index = 0; index < count; index += 1) started.push(await startSentinel(master, folder.path));
  const has = (length: number) => (found: unknown) => (found as object[]).length === length;
  for (const { port } of started) await sentinelAnswers(port, { REPLICAS: has(1), SENTINELS: has(count - 1) });
  return started;
}

async function startSentinel(master: RedisProcess, folder: string): Promise<Sentinel> {
  const port = await freePort();
  const file = join(folder, `${port}.conf`);
  const lines = [
    `sentinel monitor speech 127.0.0.1 ${master.port} 1`,
    'sentinel down-after-milliseconds speech 1000',
    'sentinel failover-timeout speech 2000',
  ];
  await writeFile(file, lines.join('\n'));
  const sentinel = spawn('redis-server', [file, '--sentinel', '--port', String(port)], { stdio: 'ignore' });
  sentinels.push(sentinel);
  return { process: sentinel, port };
}

/** Asks the Sentinel until its answers are as expected. */
async function sentinelAnswers(port: number, expected: Readonly<Record<string, (answer: unknown) => boolean>>) {
  const client = new Redis(port, { maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  for (const [question, holds] of Object.entries(expected))
    await eventually(async () => holds(await client.call('SENTINEL', question, 'speech')), `the answer to ${question}`);
  client.disconnect();
}

it('a listener hears each sample once when a Sentinel replaces the master', async () => {
  const master = await add();
  await synced(await add('--replicaof', '127.0.0.1', String(master.port)));
  const [sentinel] = await startSentinels(master, 1);
  await using speech = await openSpeech(parseBrokerUrl(`redis+sentinel://127.0.0.1:${sentinel?.port}/speech`), pace);
  const { samples, longestPause } = await speech.speak((chunks) => {
    if (chunks === 12) void master.kill();
  });
  expect(samples).toEqual(await speakAlone(pace.steps));
  // The master was needed.
  expect(longestPause).toBeGreaterThan(500);
});

it('continues when the master is replaced while a Sentinel is being asked', async () => {
  const master = await add();
  const replica = await add('--replicaof', '127.0.0.1', String(master.port));
  await synced(replica);
  const [asked, ...others] = await startSentinels(master, 3);
  const places = [asked, ...others].map((each) => `127.0.0.1:${each?.port}`);
  const client = await connectBroker(parseBrokerUrl(`redis+sentinel://${places.join()}/speech`), 'worker', silent);
  try {
    asked?.process.kill('SIGSTOP');
    await master.kill();
    const isNamed = (master: unknown) => String(master) === `127.0.0.1,${replica.port}`;
    await sentinelAnswers(others[0]?.port as number, { 'GET-MASTER-ADDR-BY-NAME': isNamed });
    // The news of it arrives.
    await wait(500);
    asked?.process.kill('SIGCONT');
    expect(await client.set('key', 'value')).toBe('OK');
  } finally {
    client.disconnect();
  }
});

it('a listener hears each sample once when a node of a cluster fails', async () => {
  for (let index = 0; index < 6; index += 1) await add('--cluster-enabled', 'yes', '--cluster-node-timeout', '1000');
  const places = servers.map(({ port }) => `127.0.0.1:${port}`);
  execFileSync('redis-cli', ['--cluster', 'create', ...places, '--cluster-replicas', '1', '--cluster-yes'], {
    stdio: 'ignore',
  });
  for (const { client } of servers) {
    const isUp = async (): Promise<boolean> => /cluster_state:ok/.test(String(await client.call('CLUSTER', 'INFO')));
    await eventually(isUp, 'the cluster is up');
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
});
