/** How soon the first byte comes, and how much audio there is a second. */
import { createEngine } from '../../src/engine/open-engine.ts';
import type { EngineOptions } from '../../src/engine/request.ts';
import { inFolder, median, speak, startProcess } from './server-process.ts';

const input = 'The morning train leaves the small station at seven.';
const rounds = 15;
const pauseMilliseconds = 300;
const formats = ['pcm', 'wav', 'flac', 'mp3', 'opus', 'aac'] as const;

export async function measureSpeed(engineOptions: EngineOptions, options: readonly string[]): Promise<void> {
  const own = await measureEngine(engineOptions);
  console.log(`engine: first patch ${own.first.toFixed(1)} ms, step ${own.step.toFixed(1)} ms (median of ${rounds})`);
  await inFolder(async (folder) => {
    const server = await startProcess([...options, '--voice-dir', folder, '--max-batch', '8']);
    try {
      for (const format of formats) {
        const times: number[] = [];
        for (let round = 0; round <= rounds; round += 1) {
          const time = await firstByte(server.url, format);
          if (round > 0) times.push(time);
          // Nobody speaks again at once; meanwhile the server opens the next codec.
          await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
        }
        const steps = (median(times) - own.first) / own.step;
        console.log(
          `${format}: first byte ${median(times).toFixed(1)} ms, ${steps.toFixed(2)} steps after the engine's first patch`,
        );
      }
      for (const count of [1, 2, 4, 8]) {
        await throughput(server.url, count);
        const rates = [await throughput(server.url, count), await throughput(server.url, count)];
        console.log(`${count} at once: ${Math.max(...rates).toFixed(2)} seconds of audio a second`);
      }
    } finally {
      await server.stop();
    }
  });
}

async function measureEngine(options: EngineOptions): Promise<{ readonly first: number; readonly step: number }> {
  await using engine = await createEngine(options);
  const firsts: number[] = [];
  const steps: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    let last = performance.now();
    let count = 0;
    for await (const _ of engine.stream({ text: input, seed: round })) {
      const now = performance.now();
      // The first round warms caches and graphs up.
      if (round > 0) (count === 0 ? firsts : steps).push(now - last);
      last = now;
      count += 1;
    }
  }
  return { first: median(firsts), step: median(steps) };
}

/** Milliseconds to the first byte of the body; the rest is read, so that rounds do not disturb each other. */
async function firstByte(url: string, format: string): Promise<number> {
  const started = performance.now();
  const response = await speak(url, { input, response_format: format, seed: 1 });
  let first: number | undefined;
  for await (const _ of response.body as ReadableStream<Uint8Array>) first ??= performance.now() - started;
  return first ?? Number.NaN;
}

async function throughput(url: string, count: number): Promise<number> {
  const started = performance.now();
  const seconds = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const response = await speak(url, { input, response_format: 'pcm', seed: index + 1 });
      const rate = Number(response.headers.get('x-sample-rate'));
      return (await response.arrayBuffer()).byteLength / 2 / rate;
    }),
  );
  return seconds.reduce((sum, value) => sum + value, 0) / ((performance.now() - started) / 1000);
}
