/** Playback through a real audio system: PulseAudio with a recorded null sink. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type ServerProcess, startSvcServe } from '../../bench/svc-process.ts';
import { errorOf, post } from '../server/start-server.ts';
import { childrenOfTest, outcomeOf } from '../support/children.ts';
import { eventually } from '../support/eventually.ts';
import { freshFolder } from '../support/test-folder.ts';
import { audible, rate, startAudioSystem } from './audio-system.ts';

const input = 'Hello there, how are you today?';

/** @param environment variables that point to the audio system */
const start = (environment: Readonly<NodeJS.ProcessEnv>): Promise<ServerProcess> =>
  startSvcServe(['--backend', 'cpu', '--threads', '1', '--voice-dir', folder.path], environment);

const children = childrenOfTest();
const folder = freshFolder();

const windowSamples = 640;
/** Longest gap between two patches on a busy machine. */
const longestGap = rate;

/**
 * FairShare of the loud windows of `expected` that occur in `recorded` in order. A machine that is too busy to generate
 * speech in real time pauses between patches, but all audio must be there in order.
 */
function shareFound(recorded: Int16Array, expected: Int16Array): number {
  let [position, found, loud] = [recorded.findIndex(audible), 0, 0];
  for (let start = expected.findIndex(audible); start + windowSamples <= expected.length; start += windowSamples) {
    const sought = expected.subarray(start, start + windowSamples);
    if (energy(sought) < windowSamples * 200 ** 2) {
      position += windowSamples;
      continue;
    }
    loud += 1;
    // Gaps may have changed the length of skipped silence.
    const places = Array.from({ length: longestGap }, (_, index) => Math.max(0, position - 64) + index);
    const place = places.find((from) => correlation(recorded.subarray(from, from + windowSamples), sought) > 0.98);
    if (place === undefined) {
      position += windowSamples;
      continue;
    }
    found += 1;
    position = place + windowSamples;
  }
  return found / loud;
}

const energy = (samples: Int16Array): number => samples.reduce((sum, sample) => sum + sample * sample, 0);

function correlation(first: Int16Array, second: Int16Array): number {
  const product = second.reduce((sum, sample, index) => sum + sample * (first[index] ?? 0), 0);
  return product / Math.sqrt(energy(first) * energy(second));
}

const playbackOf = async ({ url }: ServerProcess): Promise<unknown> =>
  ((await (await fetch(`${url}/health`)).json()) as { readonly playback?: unknown }).playback;

describe('POST /v1/audio/speech/playback', () => {
  it('plays the complete speech', async () => {
    const { received, environment } = await startAudioSystem(folder, children);
    const server = await start(environment);
    try {
      await eventually(async () => (await playbackOf(server)) === true, 'the audio output is found');
      const request = { input, seed: 5 };
      const stream = await post(`${server.url}/v1/audio/speech/stream`, request);
      const expected = new Int16Array(await stream.arrayBuffer());
      const played = await post(`${server.url}/v1/audio/speech/playback`, request);
      expect(played.status).toBe(200);
      const answer = (await played.json()) as { status: string; duration_seconds: number; chunks_played: number };
      expect(answer).toMatchObject({
        status: 'success',
        duration_seconds: Number((expected.length / rate).toFixed(3)),
      });
      expect(answer.chunks_played).toBeGreaterThan(5);
      const isOver = (): boolean => received().some(audible) && !received().slice(-rate).some(audible);
      await eventually(isOver, 'silence after the speech');
      const recorded = received();
      const length = recorded.findLastIndex(audible) - recorded.findIndex(audible);
      const expectedLength = expected.findLastIndex(audible) - expected.findIndex(audible);
      expect(length).toBeGreaterThan(expectedLength - rate / 50);
      expect(shareFound(recorded, expected)).toBeGreaterThan(0.9);
    } finally {
      await server.stop();
    }
  });

  it('stops when canceled', async () => {
    const { received, environment } = await startAudioSystem(folder, children);
    const server = await start(environment);
    try {
      const playing = post(`${server.url}/v1/audio/speech/playback`, { input: `${input} `.repeat(10), seed: 5 });
      await eventually(() => received().some(audible), 'speech');
      await fetch(`${server.url}/v1/audio/speech/cancel`, { method: 'POST' });
      const response = await playing;
      expect([response.status, (await errorOf(response)).code]).toEqual([499, 'cancelled']);
      await eventually(() => !received().slice(-rate).some(audible), 'silence');
    } finally {
      await server.stop();
    }
  });

  it('is refused without an audio output', async () => {
    const nowhere = { ALSA_CONFIG_PATH: '/dev/null', PULSE_SERVER: folder.join('nowhere') };
    const server = await start({ ...process.env, ...nowhere });
    try {
      const response = await post(`${server.url}/v1/audio/speech/playback`, { input });
      expect(response.status).toBe(501);
      const { code, message } = await errorOf(response);
      expect(code).toBe('playback_unavailable');
      expect(message).toMatch(/^this machine has no usable audio output: .+/);
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      await eventually(async () => (await playbackOf(server)) === false, 'the lack of an audio output is found');
    } finally {
      await server.stop();
    }
  });
});

describe('svc "TEXT"', () => {
  const speak = (argv: readonly string[], environment: Readonly<NodeJS.ProcessEnv>) => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...argv], { env: environment });
    children.unshift(child);
    return { child, ended: outcomeOf(child).then(({ code, stderr }) => ({ code, errors: stderr })) };
  };

  it('is heard whole, and ends', async () => {
    const { received, environment } = await startAudioSystem(folder, children);
    const path = folder.join('out.wav');
    const settings = ['--backend', 'cpu', '--threads', '1', '--seed', '5'];
    expect(await speak([input, ...settings, '-o', path], environment).ended).toEqual({ code: 0, errors: '' });
    const bytes = readFileSync(path);
    const expected = new Int16Array(Uint8Array.from(bytes.subarray(44)).buffer);
    expect(await speak([input, ...settings], environment).ended).toMatchObject({ code: 0 });
    const isOver = (): boolean => received().some(audible) && !received().slice(-rate).some(audible);
    await eventually(isOver, 'silence after the speech');
    const recorded = received();
    const length = recorded.findLastIndex(audible) - recorded.findIndex(audible);
    expect(length).toBeGreaterThan(expected.findLastIndex(audible) - expected.findIndex(audible) - rate / 50);
    expect(shareFound(recorded, expected)).toBeGreaterThan(0.9);
  });

  it('falls silent at Ctrl-C', async () => {
    const { received, environment } = await startAudioSystem(folder, children);
    const { child, ended } = speak([`${input} `.repeat(10), '--backend', 'cpu', '--threads', '1'], environment);
    await eventually(() => received().some(audible), 'speech');
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    await eventually(() => !received().slice(-rate).some(audible), 'silence');
  });

  it('names the options for a machine without an audio output', async () => {
    const nowhere = { ALSA_CONFIG_PATH: '/dev/null', PULSE_SERVER: folder.join('nowhere') };
    const { code, errors } = await speak([input], { ...process.env, ...nowhere }).ended;
    expect([code, errors]).toEqual([
      2,
      expect.stringMatching(/^svc: error: --output is required, .* -o out\.wav, .*\n$/),
    ]);
  });
});
