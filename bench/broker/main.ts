/**
 * `npm run bench:broker`: throughput of one and two single-threaded workers with the demo model, and losses when workers
 * are killed at random during 200 requests. Needs redis-server.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLoad } from '../../src/bench/load.ts';
import { runChaos } from './chaos.ts';
import { startFront, startWorker } from './processes.ts';
import { startRedis } from './redis-process.ts';
import { referenceAnswers } from './reference.ts';
import { textOf } from './texts.ts';

const requests = { warm: 8, throughput: 32, chaos: 200 };
const rounds = 2;

/** Two workers are compared with one of the same batch size, and with one that runs as many requests. */
const settings = [
  { workers: 1, batch: 4 },
  { workers: 1, batch: 8 },
  { workers: 2, batch: 4 },
] as const;

/** Seconds of audio per second, with eight requests in flight at any time. */
async function measure(url: string, count: number): Promise<number> {
  const body = (index: number): object => ({ input: textOf(index, 3), seed: index + 1 });
  const { audioSecondsPerSecond, failures } = await runLoad({
    server: url,
    streams: 8,
    requests: count,
    seconds: Number.POSITIVE_INFINITY,
    body,
  });
  const [failure] = Object.keys(failures);
  if (failure !== undefined) throw new Error(`a request failed: ${failure}`);
  return audioSecondsPerSecond;
}

async function measureWorkers(broker: string, url: string): Promise<void> {
  const rates = settings.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { workers, batch }] of settings.entries()) {
      const started = await Promise.all(
        Array.from({ length: workers }, () => startWorker(broker, '--max-batch', String(batch))),
      );
      await measure(url, requests.warm);
      rates[index]?.push(await measure(url, requests.throughput));
      await Promise.all(started.map((worker) => worker.stop()));
    }
  }
  const best = rates.map((values) => Math.max(...values));
  for (const [index, { workers, batch }] of settings.entries()) {
    const shown = rates[index]?.map((value) => value.toFixed(1)).join(', ');
    const share = ((best.at(-1) as number) / (best[index] as number)).toFixed(2);
    console.log(
      `${workers} × --max-batch ${batch}: ${shown} seconds of audio per second; the last row has ${share} times as much`,
    );
  }
}

async function main(): Promise<void> {
  const load = loadavg()[0]?.toFixed(1);
  console.log(`${cpus().length} × ${cpus()[0]?.model}, load before ${load}`);
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-broker-'));
  await using redis = await startRedis();
  const first = await startWorker(redis.url);
  const front = await startFront(redis.url, folder, ['--max-queue', '256']);
  await first.stop();
  try {
    await measureWorkers(redis.url, front.url);
    if (process.argv.includes('--no-chaos')) return;
    const texts = Array.from({ length: requests.chaos }, (_, index) => textOf(index, 2 + (index % 3)));
    const expected = await referenceAnswers(texts);
    const outcome = await runChaos({
      frontUrl: async () => front.url,
      broker: redis.url,
      workers: 2,
      texts,
      together: 6,
      answersBetweenKills: 14,
      expected,
    });
    console.log(JSON.stringify(outcome, null, 2));
  } finally {
    await front.stop('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
