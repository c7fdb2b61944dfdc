/** Measures the time to the first byte. */

import { timeChunks } from '../../src/bench/first-audio.ts';
import { median } from '../../src/bench/statistics.ts';
import type { EngineOptions } from '../../src/engine/engine-options.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { startSvcServe } from '../svc-process.ts';
import { inFolder, speak } from './server-process.ts';

const input = 'The morning train leaves the small station at seven.';
const pauseMilliseconds = 300;

/** Request fields by name. */
const requests = {
  pcm: { response_format: 'pcm' },
  wav: { response_format: 'wav', stream: true },
  flac: { response_format: 'flac', stream: true },
  mp3: { response_format: 'mp3' },
  opus: { response_format: 'opus' },
  aac: { response_format: 'aac' },
  'events (pcm)': { response_format: 'pcm', stream_format: 'sse' },
} as const;

export interface FirstByteOptions {
  readonly rounds: number;
  /** Maximum length of an utterance, in patches. */
  readonly patches: number;
}

/** Alternates engine and server, so that other load affects both equally, and compares them in each round. */
export async function measureFirstByte(
  engineOptions: EngineOptions,
  options: readonly string[],
  { rounds, patches }: FirstByteOptions,
): Promise<void> {
  await using engine = await createEngine(engineOptions);
  await inFolder(async (folder) => {
    const server = await startSvcServe([...options, '--voice-dir', folder, '--max-batch', '8']);
    try {
      const [own, steps] = [[] as number[], [] as number[]];
      for (const [name, request] of Object.entries(requests)) {
        const [times, behind] = [[] as number[], [] as number[]];
        for (let round = 0; round <= rounds; round += 1) {
          const { first, step } = await timeChunks(() => engine.stream({ text: input, seed: 1, maxLength: patches }));
          const time = await firstByte(server.url, { ...request, max_length: patches, voice: 'alloy' });
          // Lets the server open its next spare codec.
          await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
          // The first round warms up caches and graphs.
          if (round === 0) continue;
          own.push(first);
          steps.push(step);
          times.push(time);
          behind.push((time - first) / step);
        }
        console.log(
          `${name}: first byte after ${median(times).toFixed(1)} ms, ` +
            `${median(behind).toFixed(2)} steps after the engine's first patch`,
        );
      }
      console.log(
        `engine: first patch after ${median(own).toFixed(1)} ms, a step is ${median(steps).toFixed(1)} ms ` +
          `(medians; ${rounds} rounds per format)`,
      );
      console.log(`an empty answer takes ${(await emptyAnswer(server.url, rounds)).toFixed(1)} ms`);
    } finally {
      await server.stop();
    }
  });
}

/** Milliseconds of HTTP alone, included in the time to the first byte. */
async function emptyAnswer(url: string, rounds: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await (await fetch(`${url}/healthz`)).arrayBuffer();
    times.push(performance.now() - started);
  }
  return median(times);
}

/** Milliseconds to the first byte of the body; reads the rest, so that rounds don't overlap. */
async function firstByte(url: string, request: object): Promise<number> {
  const started = performance.now();
  const response = await speak(url, { input, seed: 1, ...request });
  let first: number | undefined;
  for await (const _ of response.body as ReadableStream<Uint8Array>) first ??= performance.now() - started;
  return first ?? Number.NaN;
}
