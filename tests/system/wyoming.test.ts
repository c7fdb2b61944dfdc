/** The unmodified Python packages that Home Assistant uses, with `svc serve` and the demo model. */
import { describe, expect, it } from '@jest/globals';
import { startFront, startWorker } from '../../bench/broker/processes.ts';
import { freePort, startRedis } from '../../bench/broker/redis-process.ts';
import { startSvcServe } from '../../bench/svc-process.ts';
import { presets } from '../presets.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { runClient } from './run-client.ts';

interface Spoken {
  readonly bytes: number;
  readonly rate: number;
  readonly width: number;
  readonly channels: number;
}

interface Results {
  readonly program: readonly unknown[];
  readonly voices: readonly unknown[];
  readonly pong: string;
  readonly whole: Spoken;
  readonly voice: Spoken;
  readonly unknown: string;
  readonly streamed: {
    readonly types: readonly string[];
    readonly bytes: number;
    readonly rate: number;
    readonly first: string;
  };
  readonly unknown_streamed: string;
  readonly selected: readonly number[];
  readonly discovered: readonly (readonly [string, readonly string[]])[];
}

const folder = sharedFolder();

const useClient = (port: number, ...options: string[]): Promise<Results> =>
  runClient('wyoming_package.py', [`tcp://127.0.0.1:${port}`, ...options]);

describe('Home Assistant', () => {
  it('finds the server, reads its voices and speaks, whole texts and pieces', async () => {
    const port = await freePort();
    const options = ['--backend', 'cpu', '--threads', '1', '--voice-dir', folder];
    const server = await startSvcServe([...options, '--wyoming', `tcp://0.0.0.0:${port}`]);
    const got = await useClient(port, '--discover').finally(() => server.stop());
    expect(got.program).toEqual([expect.any(String), true, true]);
    expect(got.voices).toEqual(['default', ...presets].map((name) => [name, ['en']]));
    expect(got.pong).toBe('x');
    for (const { bytes, rate, ...form } of [got.whole, got.voice]) {
      expect(form).toEqual({ width: 2, channels: 1 });
      // Length of the text with the demo model, in seconds.
      expect(bytes / 2 / rate).toBeGreaterThan(1.2);
      expect(bytes / 2 / rate).toBeLessThan(3.5);
    }
    expect(got.unknown).toBe('voice_not_found');
    expect(got.streamed).toMatchObject({
      types: ['audio-start', 'audio-chunk', 'audio-stop', 'synthesize-stopped'],
      rate: got.whole.rate,
      first: 'before the end',
    });
    const seconds = got.streamed.bytes / 2 / got.streamed.rate;
    expect(seconds).toBeGreaterThan(2.2);
    // Less than the whole text twice.
    expect(seconds).toBeLessThan(7);
    expect(got.unknown_streamed).toBe('voice_not_found');
    for (const bytes of got.selected) expect(bytes).toBeGreaterThan(40_000);
    expect(got.discovered).toHaveLength(1);
    const [[name, addresses] = ['', []]] = got.discovered;
    expect(name).toMatch(new RegExp(`^svc-.+-${port}\\._wyoming\\._tcp\\.local\\.$`));
    expect(addresses.length).toBeGreaterThan(0);
    expect(addresses).not.toContain('127.0.0.1');
  });

  /** Needs redis-server. */
  it('speaks through a broker, text in pieces while it arrives', async () => {
    const port = await freePort();
    await using redis = await startRedis();
    const worker = await startWorker(redis.url);
    const front = await startFront(redis.url, folder, ['--wyoming', `tcp://127.0.0.1:${port}`]);
    try {
      const got = await useClient(port);
      expect(got.whole.bytes).toBeGreaterThan(40_000);
      expect(got.unknown).toBe('voice_not_found');
      expect(got.streamed).toMatchObject({
        types: ['audio-start', 'audio-chunk', 'audio-stop', 'synthesize-stopped'],
        first: 'before the end',
      });
      expect(got.streamed.bytes).toBeGreaterThan(60_000);
    } finally {
      await Promise.all([worker, front].map((each) => each.stop('SIGKILL')));
    }
  });
});
