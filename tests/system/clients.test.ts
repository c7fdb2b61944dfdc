/** Unmodified third-party clients with `svc serve` and the demo model. */
import { execFile } from 'node:child_process';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { ServerProcess } from '../../bench/svc-process.ts';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import { presets } from '../presets.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { runClient, sharedServe } from './run-client.ts';

const execute = promisify(execFile);

const folder = sharedFolder();
const run = <Result>({ url }: ServerProcess, script: string): Promise<Result> =>
  runClient(script, [`${url}/v1`, 'sk-test']);

/** Length of the common text with the demo model, in seconds. */
const expectedSeconds = { from: 1.2, to: 3.5 };

describe('with a key and a model name', () => {
  const server = sharedServe('--api-key', 'sk-test', '--model-name', 'gpt-4o-mini-tts');

  it('works with the openai package of Python, including errors', async () => {
    const got = await run<{
      models: string[];
      bytes: Record<string, number>;
      file: number;
      streamed: number[];
      events: string[];
      at_once: number[];
      errors: Record<string, unknown>;
    }>(server, 'openai_package.py');
    expect(got.models).toEqual(['gpt-4o-mini-tts']);
    for (const bytes of [...Object.values(got.bytes), got.file]) expect(bytes).toBeGreaterThan(5_000);
    const seconds = got.streamed.reduce((sum, bytes) => sum + bytes, 0) / 2 / 24_000;
    expect(seconds).toBeGreaterThan(expectedSeconds.from);
    expect(seconds).toBeLessThan(expectedSeconds.to);
    expect(got.events.slice(0, -1).every((type) => type === 'speech.audio.delta')).toBe(true);
    expect(got.events.at(-1)).toBe('speech.audio.done');
    expect(new Set(got.at_once).size).toBe(1);
    expect(got.errors).toEqual({
      key: ['AuthenticationError', 401, 'invalid_api_key'],
      model: ['NotFoundError', 404, 'model_not_found'],
      voice: ['NotFoundError', 404, 'voice_not_found'],
      input: ['BadRequestError', 400, 'bad_request'],
      speed: ['BadRequestError', 400, 'bad_request'],
      route: ['NotFoundError', 404, 'not_found'],
    });
  });
});

describe('with a key and any model name', () => {
  const server = sharedServe('--api-key', 'sk-test');

  it('is played by LiveKit at the right speed in each format', async () => {
    const { received, stranger } = await run<{
      received: Record<string, { rates: number[]; seconds: number; loudness: number }>;
      stranger: object;
    }>(server, 'livekit_plugin.py');
    expect(Object.keys(received)).toHaveLength(8);
    for (const { rates, seconds, loudness } of Object.values(received)) {
      expect(rates).toEqual([24_000]);
      expect(seconds).toBeGreaterThan(expectedSeconds.from);
      expect(seconds).toBeLessThan(expectedSeconds.to);
      expect(loudness).toBeGreaterThan(500);
    }
    // The duration is the same in each format, except for samples that the decoder keeps at the end.
    const all = Object.values(received).map(({ seconds }) => seconds);
    expect(Math.max(...all) - Math.min(...all)).toBeLessThan(0.15);
    expect(stranger).toEqual({ status: 401 });
  });

  it('speaks while vLLM-Omni’s client writes', async () => {
    interface Heard {
      readonly events: readonly Record<string, unknown>[];
      readonly bytes: number;
      readonly frames: number;
      readonly words: readonly string[];
    }
    type Session = { readonly received: readonly Heard[]; readonly close: number };
    const { stranger, ...sessions } = await run<
      Record<'files' | 'samples' | 'tokens' | 'words', Session> & { readonly stranger: number }
    >(server, 'vllm_omni_stream.py');
    expect(stranger).toBe(401);
    for (const { received, close } of Object.values(sessions)) {
      expect(close).toBe(1000);
      for (const [index, { events, bytes }] of received.entries()) {
        const done = events.filter(({ type }) => type === 'audio.done');
        expect(events.filter(({ type }) => type === 'audio.start')).toHaveLength(done.length);
        expect(done.reduce((sum, { total_bytes }) => sum + Number(total_bytes), 0)).toBe(bytes);
        expect(events.at(-1)).toMatchObject({ utterance_index: index, total_sentences: done.length });
        expect(bytes / 2 / 24_000).toBeGreaterThan(0.3);
      }
    }
    expect(sessions.files.received.map(({ frames }) => frames)).toEqual([1, 1]);
    expect(sessions.samples.received[0]?.frames).toBeGreaterThan(5);
    const [tokens] = sessions.tokens.received;
    expect(tokens?.events.map(({ type }) => type)).toEqual(['audio.start', 'audio.done', 'session.done']);
    expect(tokens?.frames).toBeGreaterThan(5);
    expect(sessions.words.received[0]?.words.join(' ')).toBe('Hello there, how are you today? I am fine, thank you.');
  });

  it('works with Open WebUI, which requests voices without the key', async () => {
    const { models, voices, speech } = await run<Record<string, unknown[]>>(server, 'open_webui_requests.py');
    expect([models?.[0], voices?.[0]]).toEqual([401, 401]);
    expect(speech).toEqual(['audio/mpeg', expect.any(Number)]);
  });
});

describe('the Python samples of the API reference', () => {
  const server = sharedServe('--api-key', 'sk-test');

  it('run', async () => {
    const text = await (await fetch(`${server.url}/openapi.json`)).text();
    const samples = [...text.matchAll(/```python\\n(.*?)```/g)].map(([, code]) =>
      (JSON.parse(`"${code}"`) as string).replaceAll('http://127.0.0.1:8000', server.url),
    );
    expect(samples).toHaveLength(7);
    writeFileSync(join(folder, 'anna.wav'), encodeWav(new Float32Array(16_000).fill(0.1), 16_000));
    const env = { ...process.env, SVC_API_KEY: 'sk-test' };
    const printed: string[] = [];
    for (const code of samples) {
      rmSync(join(folder, 'hello.mp3'), { force: true });
      printed.push((await execute('python3', ['-c', code], { cwd: folder, env })).stdout);
      if (code.includes('hello.mp3')) expect(statSync(join(folder, 'hello.mp3')).size).toBeGreaterThan(5_000);
    }
    expect(printed).toEqual([
      '',
      '',
      '',
      expect.stringContaining('Hello'),
      '',
      'anna\n',
      expect.stringMatching(/^16000 Hz\n\d+ samples\n/),
    ]);
  });
});

describe('without a key', () => {
  const server = sharedServe();

  it('lists model and voices for Open WebUI', async () => {
    const { models, voices, speech } = await run<Record<string, unknown[]>>(server, 'open_webui_requests.py');
    expect(models).toEqual([200, expect.objectContaining({ models: [expect.objectContaining({ id: 'demo' })] })]);
    const [status, body] = voices as [number, { voices: { id: string; name: string }[] }];
    expect([status, body.voices.map(({ id, name }) => [id, name])]).toEqual([200, presets.map((id) => [id, id])]);
    expect(speech?.[0]).toBe('audio/mpeg');
  });
});

describe('with the voice names of Kokoro', () => {
  const server = sharedServe('--voice-alias', 'af_heart=coral', '--voice-alias', 'af_bella=nova,bm_george=default');

  it("answers the requests of Kokoro-FastAPI's examples", async () => {
    const got = await run<{
      voices: Record<string, string | null>;
      formats: Record<string, number>;
      speeds: Record<string, number>;
      passage: number;
      voiced: string[];
      dialogue: number;
      tagged: number;
      errors: object;
    }>(server, 'kokoro_requests.py');
    const own = Object.fromEntries(presets.map((name) => [name, null]));
    expect(got.voices).toEqual({ af_heart: 'coral', af_bella: 'nova', bm_george: 'default', ...own });
    for (const bytes of Object.values(got.formats)) expect(bytes).toBeGreaterThan(5_000);
    // The voice has a seed, so that only the speed differs.
    const usual = (got.speeds['1.0'] as number) - 44;
    for (const [speed, bytes] of Object.entries(got.speeds)) {
      expect(Math.abs(((bytes - 44) * Number(speed)) / usual - 1)).toBeLessThan(0.1);
    }
    expect(got.passage).toBeGreaterThan(2 * usual);
    // Each name has a voice of its own, which stays the same.
    expect(got.voiced[1]).toBe(got.voiced[0]);
    expect(got.voiced[2]).not.toBe(got.voiced[0]);
    expect(got.dialogue).toBeGreaterThan(usual);
    // Two voices, and silence.
    expect(got.tagged).toBeGreaterThan(usual);
    expect(got.errors).toEqual({
      speed: [400, 'bad_request'],
      voice: [404, 'voice_not_found'],
      // The demo model is no VoxCPM 2.
      mix: [400, 'bad_request'],
    });
  });
});

describe('complete files', () => {
  const server = sharedServe();

  it('are read by wave, soundfile and librosa', async () => {
    const got = await run<
      Record<string, { rate: number; stated: number; read: number; librosa: number[]; wave?: number[] }>
    >(server, 'read_files.py');
    expect(Object.keys(got)).toEqual(['short wav', 'short flac', 'requested wav', 'requested flac']);
    for (const [name, { rate, stated, read, librosa, wave }] of Object.entries(got)) {
      expect([name, rate, read, librosa]).toEqual([name, 16_000, stated, [stated, rate]]);
      if (wave !== undefined) expect(wave).toEqual([stated, stated]);
      // "Hello there." once, or 20 times.
      expect(stated / rate).toBeGreaterThan(name.startsWith('short') ? 0.5 : 5);
    }
    expect(got['short wav']?.stated).toBe(got['short flac']?.stated);
  });
});
