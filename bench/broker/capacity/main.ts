/**
 * `npm run bench:capacity`: how many listeners one Redis and one front end carry. Workers are real but for the model,
 * which sleeps (`--speed N` seconds of audio per second, default 1.25); listeners read as fast as they can. Ends at the
 * first number of listeners (`--listeners 100,250,…`) whose chunks' 99th percentile of delay passes 50 ms, or at the last.
 * With `--all`, measures every number. The front end has the young generation that docs/scale-out.md advises. Needs
 * redis-server and Linux.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { quantile } from '../../../src/bench/statistics.ts';
import { processorSeconds } from '../../processor-seconds.ts';
import { startFront } from '../processes.ts';
import { startRedis } from '../redis-process.ts';
import type { ListenerReport } from './listener-process.ts';

const { values } = parseArgs({
  options: {
    listeners: { type: 'string', default: '100,250,500,1000,1500,2000,2500,3000' },
    all: { type: 'boolean', default: false },
    speed: { type: 'string', default: '1.25' },
    slots: { type: 'string', default: '64' },
    workers: { type: 'string', default: '60' },
    seconds: { type: 'string', default: '30' },
    measure: { type: 'string', default: '8' },
    semi: { type: 'string', default: '64' },
  },
});

const mostDelay = 50;
const queue = 'speech';

async function startChild(file: string, settings: readonly string[]): Promise<ChildProcess> {
  const child = fork(new URL(file, import.meta.url), settings, { execArgv: ['--import', 'tsx'] });
  await once(child, 'message');
  return child;
}

async function reportOf(listeners: ChildProcess): Promise<ListenerReport> {
  listeners.send('report');
  const [report] = (await once(listeners, 'message')) as [ListenerReport];
  return report;
}

async function main(): Promise<void> {
  console.log(`${cpus().length} × ${cpus()[0]?.model}, load before ${loadavg()[0]?.toFixed(1)}`);
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-capacity-'));
  await using redis = await startRedis();
  const workers = await startChild('worker-process.ts', [redis.url, queue, values.workers, values.slots, values.speed]);
  const limits = ['--max-queue', '10000', '--max-connections', '20000'];
  const front = await startFront(redis.url, folder, limits, { NODE_OPTIONS: `--max-semi-space-size=${values.semi}` });
  const { hostname, port } = new URL(front.url);
  const listeners = await startChild('listener-process.ts', [hostname, port, values.seconds]);
  const pids = { redis: redis.pid, front: front.child.pid, workers: workers.pid, listeners: listeners.pid };
  const times = () => Object.values(pids).map((pid) => processorSeconds(pid as number));

  async function measure(count: number): Promise<number> {
    listeners.send(count);
    await wait(5_000 + 4_000);
    await reportOf(listeners);
    await redis.client.config('RESETSTAT');
    const [before, began] = [times(), performance.now()];
    await wait(Number(values.measure) * 1000);
    const report = await reportOf(listeners);
    const seconds = (performance.now() - began) / 1000;
    const spent = times().map((value, index) => value - (before[index] as number));
    const chunks = Math.max(1, report.delays.length);
    const streams = report.audioSeconds / seconds;
    const p99 = quantile(report.delays, 0.99);
    const each = spent.map((value) => `${((1e6 * value) / chunks).toFixed(0)}`);
    const shares = spent.map((value) => `${((100 * value) / seconds).toFixed(0)}%`);
    const two = (spent[0] as number) + (spent[1] as number);
    const fields = {
      listeners: count,
      open: report.open,
      streams: streams.toFixed(0),
      'chunks/s': (chunks / seconds).toFixed(0),
      'delay p50': quantile(report.delays, 0.5).toFixed(1),
      p99: p99.toFixed(1),
      'first p99': quantile(report.firstAudio, 0.99).toFixed(0),
      dry: `${report.dry}/${report.ended}`,
      refused: report.refused,
      broken: report.broken,
      'µs a chunk (redis front workers listeners)': each.join(' '),
      'share of a core': shares.join(' '),
      'streams on two cores': ((2 * streams * seconds) / two).toFixed(0),
    };
    console.log(
      Object.entries(fields)
        .map(([name, value]) => `${name} ${value}`)
        .join(' | '),
    );
    const commands = await redis.client.info('commandstats');
    const rows = [...commands.matchAll(/cmdstat_([^:]+):calls=(\d+),usec=(\d+)/g)]
      .map(([, name, calls, usec]) => ({ name, calls: Number(calls), usec: Number(usec) }))
      .sort((a, b) => b.usec - a.usec)
      .slice(0, 8);
    console.log(
      `  ${rows.map(({ name, calls, usec }) => `${name} ${(calls / seconds).toFixed(0)}/s × ${(usec / calls).toFixed(1)} µs`).join(', ')}`,
    );
    return p99;
  }

  try {
    for (const count of values.listeners.split(',').map(Number)) {
      if ((await measure(count)) > mostDelay && !values.all) break;
    }
  } finally {
    listeners.send(0);
    for (const child of [listeners, workers]) child.kill('SIGKILL');
    await front.stop('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
