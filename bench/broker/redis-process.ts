/** A Redis server on a free port, without persistence. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';

export interface RedisProcess extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Process id; undefined while it is down. */
  readonly pid: number | undefined;
  /** For inspecting its data. */
  readonly client: Redis;
  /** Crashes it; all data is lost. */
  kill(): Promise<void>;
  /** Restarts it on the same port. */
  start(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
}

export interface RedisSettings {
  /** Default: `redis-server`. */
  readonly program?: string;
  /** Further arguments. */
  readonly settings?: readonly string[];
}

export async function startRedis(options: RedisSettings = {}): Promise<RedisProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-redis-'));
  const port = await freePort();
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const settings = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      folder,
      '--save',
      '',
      '--appendonly',
      'no',
      ...(options.settings ?? []),
    ];
    const started = spawn(options.program ?? 'redis-server', settings, { stdio: ['ignore', 'pipe', 'ignore'] });
    child = started;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      started.once('error', reject);
      started.once('close', () => reject(new Error(`redis-server ended: ${log}`)));
      started.stdout.on('data', (part: Buffer) => {
        log = `${log}${part.toString()}`.slice(-10_000);
        if (/Ready to accept connections/.test(log)) resolve();
      });
    });
  }

  async function kill(): Promise<void> {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const closed = once(running, 'close');
    running.kill('SIGKILL');
    await closed;
  }

  await start();
  const url = `redis://127.0.0.1:${port}`;
  const client = new Redis(url, { maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  return {
    url,
    port,
    get pid() {
      return child?.pid;
    },
    client,
    kill,
    start,
    async [Symbol.asyncDispose]() {
      client.disconnect();
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
