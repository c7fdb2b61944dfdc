/** Measures how much audio the path from patches to bytes of many streams carries, beside a model that costs nothing. Linux only. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { processorSeconds } from '../processor-seconds.ts';
import { speak } from './server-process.ts';

/** A patch of VoxCPM 2. */
export const patchSamples = 7_680;
export const sampleRate = 48_000;

const formats = ['pcm', 'wav', 'flac', 'mp3', 'opus', 'aac'] as const;

/**
 * @param streams requests at once
 * @param seconds of each measurement
 */
export async function measureCarrying(streams: number, seconds: number): Promise<void> {
  const child = fork(join(import.meta.dirname, 'carrying-server.ts'), [String(streams)]);
  const [url] = (await once(child, 'message')) as [string];
  const used = (): number => processorSeconds(child.pid as number);
  const patches = 64;
  try {
    for (const format of formats) {
      const ends = performance.now() + 1000 * seconds;
      const before = used();
      const began = performance.now();
      let audioSeconds = 0;
      const listen = async (): Promise<void> => {
        while (performance.now() < ends) {
          const body = { input: 'Hello there.', response_format: format, min_length: patches, max_length: patches };
          const response = await speak(url, body);
          if (response.status !== 200)
            throw new Error(`the server answered ${response.status}: ${await response.text()}`);
          for await (const _ of response.body ?? []);
          audioSeconds += (patches * patchSamples) / sampleRate;
        }
      };
      await Promise.all(Array.from({ length: streams }, listen));
      const passed = (performance.now() - began) / 1000;
      const cores = (used() - before) / passed;
      console.log(
        `${format}: ${Math.round(audioSeconds / passed)} audio-seconds a second for ${streams} streams, ` +
          `${cores.toFixed(2)} cores, ${Math.round(audioSeconds / passed / cores)} a core`,
      );
    }
  } finally {
    child.kill();
  }
}
