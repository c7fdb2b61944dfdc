/** Unmodified clients of ElevenLabs with `svc serve` and the demo model. */
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { ServerProcess } from '../../bench/svc-process.ts';
import { runClient, sharedServe } from './run-client.ts';

const key = ['--api-key', 'sk-test'];
const run = <Result>({ url }: ServerProcess, script: string, environment: NodeJS.ProcessEnv = {}): Promise<Result> =>
  runClient(script, [`${url}/v1`, 'sk-test'], environment);

interface Aligned {
  readonly bytes: number;
  readonly text: string;
  readonly end: number;
}

interface PackageResults {
  readonly convert: Record<string, number>;
  readonly stream: Record<string, number>;
  readonly realtime?: Record<string, number>;
  readonly timed: Aligned;
  readonly lines: readonly Aligned[];
  readonly models: readonly string[];
  readonly found: number;
  readonly errors: Record<string, unknown>;
}

const text = 'Hello there, how are you today?';

/** What both packages get. */
function checkPackage({ convert, stream, realtime = {}, timed, lines, models, found }: PackageResults): void {
  for (const all of [convert, stream, realtime]) {
    for (const [format, bytes] of Object.entries(all)) expect([format, bytes > 4_000]).toEqual([format, true]);
  }
  expect(timed.text).toBe(text);
  expect(timed.end).toBeLessThanOrEqual(timed.bytes / 2 / 16_000);
  expect(lines.map((line) => line.text).join('')).toBe(text);
  expect([models, found]).toEqual([['demo'], 0]);
}

interface Heard {
  readonly rates: readonly number[];
  readonly seconds: number;
  readonly loudness: number;
}

/** A speech of two short sentences with the demo model. */
function checkHeard({ rates, seconds, loudness }: Heard, rate: number): void {
  expect(rates).toEqual([rate]);
  expect(seconds).toBeGreaterThan(1.2);
  expect(seconds).toBeLessThan(6);
  expect(loudness).toBeGreaterThan(500);
}

const spoken = 'Hello there, how are you today? I am fine.';

describe('over HTTPS', () => {
  const certificates = join(import.meta.dirname, '..', 'fixtures', 'tls');
  const certificate = join(certificates, 'one.crt');
  const server = sharedServe(...key, '--tls-cert', certificate, '--tls-key', join(certificates, 'one.key'));

  it('the Python package works, its WebSocket too, which needs HTTPS', async () => {
    const got = await run<PackageResults>(server, 'elevenlabs_package.py', { SSL_CERT_FILE: certificate });
    checkPackage(got);
    expect(Object.keys(got.realtime ?? {})).toEqual(Object.keys(got.convert));
    expect(got.errors).toEqual({
      key: [401, 'invalid_api_key'],
      voice: [404, 'voice_not_found'],
      text: [422, 'list'],
      format: [422, 'list'],
      realtime: [1008, 'text'],
    });
  });
});

describe('over HTTP', () => {
  const server = sharedServe(...key);

  it('the npm package works', async () => {
    const got = await run<PackageResults>(server, 'elevenlabs-package.mjs');
    checkPackage(got);
    expect(got.errors).toEqual({
      key: [401, 'invalid_api_key'],
      voice: [404, 'voice_not_found'],
      text: [422, 'list'],
    });
  });

  it('LiveKit speaks in each format, with the times of words, and can be interrupted', async () => {
    type Timed = Heard & { readonly words: readonly (readonly [string, number, number])[] };
    const got = await run<{
      stream: Record<string, Timed>;
      synthesize: Record<string, Heard>;
      fast: Timed;
      again: number[];
      at_once: number[];
      interrupted: { was_busy: boolean; seconds: number };
      after: number;
      stranger: number;
    }>(server, 'elevenlabs_livekit.py');
    for (const [encoding, received] of Object.entries(got.stream)) {
      checkHeard(received, Number(encoding.split('_')[1]));
      const words = received.words.map(([word]) => word);
      expect(words.join('').trim()).toBe(spoken);
      const times = received.words.flatMap(([, begin, end]) => [begin, end]);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(times.at(-1)).toBeLessThanOrEqual(received.seconds + 0.1);
    }
    for (const [encoding, received] of Object.entries(got.synthesize)) {
      checkHeard(received, Number(encoding.split('_')[1]));
    }
    expect(got.fast.seconds).toBeLessThan(0.7 * (got.stream.pcm_16000?.seconds ?? 0));
    for (const seconds of [...got.again, ...got.at_once, got.after]) expect(seconds).toBeGreaterThan(0.8);
    expect(got.interrupted).toEqual({ was_busy: true, seconds: expect.any(Number) });
    expect(got.interrupted.seconds).toBeLessThan(1);
    expect(got.stranger).toBe(401);
  });

  it('Pipecat speaks over its WebSocket and over HTTP, with the times of words, and can be interrupted', async () => {
    type Turn = Heard & {
      readonly text: string;
      readonly times: readonly number[];
      readonly first: number;
      readonly errors: readonly string[];
    };
    type Interrupted = { was_busy: boolean; seconds: number; errors: readonly string[] };
    const got = await run<{
      sentences: Turn;
      tokens: Turn;
      http: Turn;
      interrupted: Interrupted;
      interrupted_after_the_end: Interrupted;
      stranger: Turn;
    }>(server, 'elevenlabs_pipecat.py');
    for (const turn of [got.sentences, got.tokens, got.http]) {
      checkHeard(turn, 16_000);
      expect([turn.text, turn.errors]).toEqual([spoken, []]);
      expect(turn.times).toHaveLength(spoken.split(' ').length);
      expect(turn.times).toEqual([...turn.times].sort((a, b) => a - b));
      expect((turn.times.at(-1) ?? 0) - (turn.times[0] ?? 0)).toBeLessThan(turn.seconds);
      expect(turn.first).toBeGreaterThan(1.2);
    }
    for (const { was_busy, seconds, errors } of [got.interrupted, got.interrupted_after_the_end]) {
      expect([was_busy, errors]).toEqual([true, []]);
      expect(seconds).toBeLessThan(1);
    }
    expect([got.stranger.seconds, got.stranger.errors]).toEqual([0, [expect.stringContaining('401')]]);
  });
});
