/**
 * `npm run bench:broker`: what workers at a broker give together, and what is lost when they are killed. Needs redis-server;
 * the demo model speaks. One worker and then two, one thread each, answer the same requests; then two are killed at
 * random while they answer 200.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChaos } from './bench-broker/chaos.ts';
import { startRedis } from './bench-broker/redis-process.ts';
import { referenceAnswers } from './bench-broker/reference.ts';
import { samplesOf, speak, startFront, startWorker } from './bench-broker/svc-process.ts';
import { textOf } from './bench-broker/texts.ts';

const requests = { throughput: 48, chaos: 200 };
const sampleRate = 16_000;

/** Seconds of audio a second, of requests that are always eight at a time. */
async function measure(url: string): Promise<number> {
  let [next, samples] = [0, 0];
  const started = performance.now();
  const ask = async (): Promise<void> => {
    for (let index = next++; index < requests.throughput; index = next++) {
      samples += (await samplesOf(await speak(url, textOf(index, 3), { seed: index + 1 }))).length;
    }
  };
  await Promise.all(Array.from({ length: 8 }, ask));
  return samples / sampleRate / ((performance.now() - started) / 1000);
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-broker-'));
  await using redis = await startRedis();
  let worker = await startWorker(redis.url, '--max-batch', '8');
  const front = await startFront(redis.url, folder, ['--max-queue', '256', '--log-level', 'info']);
  try {
    await measure(front.url);
    const one = await measure(front.url);
    await worker.stop();
    const two = [await startWorker(redis.url, '--max-batch', '4'), await startWorker(redis.url, '--max-batch', '4')];
    await measure(front.url);
    const both = await measure(front.url);
    await Promise.all(two.map((each) => each.stop()));
    console.log(`one worker:  ${one.toFixed(1)} seconds of audio a second`);
    console.log(`two workers: ${both.toFixed(1)} seconds of audio a second, ${(both / one).toFixed(2)} times as much`);
    worker = await startWorker(redis.url);
    await worker.stop();

    const texts = Array.from({ length: requests.chaos }, (_, index) => textOf(index, 2 + (index % 3)));
    const expected = await referenceAnswers(texts);
    const outcome = await runChaos({
      frontUrl: async () => front.url,
      broker: redis.url,
      workers: 2,
      texts,
      together: 6,
      betweenKills: 3_000,
      expected,
    });
    console.log(JSON.stringify(outcome, null, 2));
  } finally {
    await worker.stop('SIGKILL');
    await front.stop('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
