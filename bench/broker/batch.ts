/**
 * `npm run bench:batch`: a long list of short lines, spoken over the broker by workers (`--workers`, each with one thread)
 * while one process after another is killed (every `--kill` seconds: three times a worker, then the batch itself, which is
 * started again). Fails if a line is lost, failed or recorded twice; then compares the rate with one `svc batch` that speaks
 * the first `--alone` lines on all cores. Needs redis-server.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { SvcProcess } from '../svc-process.ts';
import { killRepeatedly } from './kill-repeatedly.ts';
import { startWorker } from './processes.ts';
import { startRedis } from './redis-process.ts';

const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '100000' },
    workers: { type: 'string', default: '4' },
    kill: { type: 'string', default: '30' },
    alone: { type: 'string', default: '2000' },
  },
});
const lineCount = Number(values.lines);
const aloneCount = Math.min(lineCount, Number(values.alone));
const killsBetweenBatches = 4;

const subjects = ['The door', 'A train', 'The river', 'My friend', 'The old clock'];
const verbs = ['is here', 'will wait', 'was late', 'can sing', 'has gone'];

function* linesOf(count: number): Generator<string> {
  for (let index = 0; index < count; index += 1) {
    const text = `${subjects[index % subjects.length]} ${verbs[Math.floor(index / subjects.length) % verbs.length]}.`;
    yield `${JSON.stringify({ id: `line-${index}`, text, seed: index })}\n`;
  }
}

function startBatch(input: string, output: string, ...settings: readonly string[]): ChildProcess {
  const own = ['batch', '--input', input, '--output-dir', output, '--quiet'];
  return spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...own, ...settings], { stdio: 'inherit' });
}

interface Outcome {
  readonly seconds: number;
  readonly kills: number;
  readonly restarts: number;
}

async function runWithKills(broker: string, input: string, output: string): Promise<Outcome> {
  const start = (): Promise<SvcProcess> => startWorker(broker, '--max-batch', '8');
  const workers = await Promise.all(Array.from({ length: Number(values.workers) }, start));
  let batch: ChildProcess | undefined;

  async function kill(number: number): Promise<void> {
    if (number % killsBetweenBatches === 0) {
      batch?.kill('SIGKILL');
      return;
    }
    const victim = Math.floor(Math.random() * workers.length);
    await workers[victim]?.stop('SIGKILL');
    workers[victim] = await start();
  }

  const pause = (signal: AbortSignal) => wait(Number(values.kill) * 1000, undefined, { signal });

  /** Returns how often the batch was started again. */
  async function finish(): Promise<number> {
    for (let restarts = 0; ; restarts += 1) {
      batch = startBatch(input, output, '--broker', broker);
      const [code, signal] = (await once(batch, 'close')) as [number | null, NodeJS.Signals | null];
      if (code === 0) return restarts;
      if (signal !== 'SIGKILL') throw new Error(`svc batch ended with ${code ?? signal}`);
    }
  }

  const started = performance.now();
  try {
    const { result: restarts, kills } = await killRepeatedly(pause, kill, finish);
    return { seconds: (performance.now() - started) / 1000, kills, restarts };
  } finally {
    await Promise.all(workers.map((worker) => worker.stop('SIGKILL')));
  }
}

/** @throws Error unless each line has exactly one entry, which is done, and one file */
async function check(output: string, count: number): Promise<void> {
  const done = new Set<string>();
  for await (const line of createInterface({ input: createReadStream(join(output, 'manifest.jsonl')) })) {
    const { id, status } = JSON.parse(line) as { id: string; status: string };
    if (status !== 'done') throw new Error(`${id} is ${status}`);
    if (done.has(id)) throw new Error(`${id} is recorded twice`);
    done.add(id);
  }
  if (done.size !== count) throw new Error(`${done.size} of ${count} lines are recorded`);
  const files = (await readdir(output)).filter((name) => name.endsWith('.wav'));
  if (files.length !== count) throw new Error(`there are ${files.length} files for ${count} lines`);
}

async function main(): Promise<void> {
  console.log(`${cpus().length} × ${cpus()[0]?.model}, load before ${loadavg()[0]?.toFixed(1)}`);
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-batch-'));
  const write = (name: string, count: number): Promise<void> =>
    pipeline(Readable.from(linesOf(count)), createWriteStream(join(folder, name)));
  try {
    await write('lines.jsonl', lineCount);
    await write('alone.jsonl', aloneCount);
    const began = performance.now();
    const [code] = await once(startBatch(join(folder, 'alone.jsonl'), join(folder, 'alone')), 'close');
    if (code !== 0) throw new Error(`svc batch ended with ${code}`);
    const aloneRate = aloneCount / ((performance.now() - began) / 1000);
    console.log(`one svc batch: ${aloneRate.toFixed(1)} lines per second (${aloneCount} lines)`);

    await using redis = await startRedis();
    const output = join(folder, 'spoken');
    const { seconds, kills, restarts } = await runWithKills(redis.url, join(folder, 'lines.jsonl'), output);
    await check(output, lineCount);
    const rate = lineCount / seconds;
    console.log(
      `${values.workers} workers: all ${lineCount} lines, none twice, in ${seconds.toFixed(0)} s with ${kills} kills, ${restarts} of them of the batch`,
    );
    console.log(`${rate.toFixed(1)} lines per second, ${(rate / aloneRate).toFixed(2)} times one svc batch`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
