/** Warnings about speech that differs from the request, on every speech route. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { decodeAudio } from '../../src/audio/decode/read-audio.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { warningFields } from '../../src/server/http/warning-fields.ts';
import { rawRequest } from './raw-request.ts';
import { read, silentPlayer, warningOf, wavOf } from './start-server.ts';
import { expectError, freshServer, sharedServer } from './test-server.ts';

const fresh = freshServer();

const peakOf = (samples: Float32Array): number => samples.reduce((peak, value) => Math.max(peak, Math.abs(value)), 0);

it('warningFields are ASCII, quoted, few and short', () => {
  expect(warningFields([])).toEqual({});
  expect(warningFields(['a "b" \\', '你'])).toEqual({ Warning: '299 svc "a \\"b\\" \\\\", 299 svc "U+4F60"' });
  const { Warning: long = '' } = warningFields(Array(50).fill('x'.repeat(5_000)));
  expect(long.length).toBeLessThan(4_000);
});

describe('the demo model', () => {
  const server = sharedServer(async () => ({
    engine: await createEngine({ backend: 'cpu', threads: 1, maxBatch: 4 }),
    openPlayer: async () => silentPlayer,
  }));

  const input = 'Hello there.';
  const pcm = { input, response_format: 'wav', seed: 3 } as const;

  async function expectSpeech(response: Response): Promise<void> {
    expect([response.status, response.headers.get('Warning')]).toEqual([200, null]);
    const { samples, sampleRate } = await decodeAudio(new Uint8Array(await response.arrayBuffer()));
    expect(samples.length / sampleRate).toBeGreaterThan(0.5);
    expect(peakOf(samples)).toBeGreaterThan(0.1);
  }

  it.each(['default', 'alloy', '', 'alma', 'george'])('has no warning for voice %j', async (voice) => {
    await expectSpeech(await server.speak({ ...pcm, voice }));
    await expectSpeech(await server.speak({ ...pcm, voice, retry_badcase: true }));
  });

  it('has its voices on every route', async () => {
    const stream = await server.post('/v1/audio/speech/stream', { input, voice: 'alma' });
    expect(stream.headers.get('Warning')).toBeNull();
    expect((await stream.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
    const played = await server.post('/v1/audio/speech/playback', { input, voice: 'alma' });
    expect(await played.json()).toMatchObject({ warnings: [] });
    const query = new URLSearchParams({ input, voice: 'alma', response_format: 'wav' });
    await expectSpeech(await server.fetch(`/tts?${query}`));
    const form = {
      ...{ input, response_format: 'wav', prompt_text: await readFile('models/voices/alma.txt', 'utf8') },
      prompt_audio: await readFile('models/voices/alma.wav'),
    };
    await expectSpeech(await server.send('/tts', form));
  });

  it.each([
    ['public', 'speech.audio.done'],
    ['native', 'audio.completed'],
  ])('has warnings in the last of the %s events', async (events, type) => {
    const body = { ...pcm, input: 'Hello 你.', stream_format: 'sse' };
    const response = await server.post(`/v1/audio/speech?events=${events}`, body);
    expect(response.headers.get('Warning')).toContain('U+4F60');
    const lines = (await response.text()).match(/^data: .*$/gm) ?? [];
    const warnings = [expect.stringContaining('cannot read "你"')];
    expect(JSON.parse(lines.at(-1)?.slice(6) ?? '')).toMatchObject({ type, warnings });
  });

  it('warns about letters that it cannot read', async () => {
    const warning = await warningOf(server.speak({ ...pcm, input: '你好，世界。' }));
    expect(warning).toMatch(/U\+4F60.*it speaks English/);
    expect(server.log.join('')).toContain('你好世界');
  });
});

it('warns about a transcript without its recording', async () => {
  const answer = fresh.speak({ input: 'hello', response_format: 'pcm', ref_text: 'The words.' });
  expect(await warningOf(answer)).toBe('299 svc "ref_text needs ref_audio; it is ignored"');
});

describe('instructions', () => {
  const instructed = { input: 'hello', response_format: 'pcm', instructions: 'whisper' };

  it('are ignored with a warning by a model that cannot follow them', async () => {
    for (const input of ['hello', '...']) {
      const { status, headers } = await read(fresh.speak({ ...instructed, input }));
      const warning = 'instructions need a VoxCPM 2 model; \\"fake\\" is an earlier one; they are ignored';
      expect([status, headers.get('Warning')]).toEqual([200, `299 svc "${warning}"`]);
    }
    // The same text as without instructions.
    await fresh.hear({ ...instructed, instructions: undefined });
    const [first, second] = fresh.backend.prefixes;
    expect(first?.tokens).toEqual(second?.tokens);
  });

  it('are ignored with a warning with a voice that has a transcript', async () => {
    await fresh.start({
      backend: { info: { architecture: 'voxcpm2', inputPatchSamples: 640 } },
      voiceFiles: async (folder) => {
        await writeFile(join(folder, 'anna.wav'), wavOf(0.5, 0.5));
        await writeFile(join(folder, 'anna.txt'), 'The words.');
      },
    });
    expect(await warningOf(fresh.speak({ ...instructed, voice: 'anna' }))).toBe(
      '299 svc "instructions cannot be combined with a voice that has a transcript; they are ignored"',
    );
    const followed = await read(fresh.speak(instructed));
    expect([followed.status, followed.headers.get('Warning')]).toEqual([200, null]);
  });

  it('are refused by a strict server', async () => {
    await fresh.start({ settings: { strictness: 'strict' } });
    await expectError(fresh.speak(instructed), 400, {
      message: 'instructions need a VoxCPM 2 model; "fake" is an earlier one',
      ...{ type: 'invalid_request_error', param: 'instructions', code: 'unsupported_parameter' },
    });
    expect(fresh.backend.calls).toEqual([]);
    await fresh.hear({ ...instructed, instructions: ' ' });
  });
});

describe('silent speech', () => {
  it('is reported in a trailer, in the last event and in the log', async () => {
    await fresh.start({ backend: { loudness: () => 0 } });
    const silent = 'the speech is silent; try another seed or another text';
    const answer = await withTrailers();
    expect([answer.status, answer.trailers.warning]).toEqual([200, `299 svc "${silent}"`]);
    expect(answer.headers.warning).toBeUndefined();
    const body = { input: 'hello', response_format: 'pcm' };
    const events = await (await fresh.speak({ ...body, stream_format: 'sse' })).text();
    expect(events).toContain(`"warnings":["${silent}"]`);
    expect(fresh.log.join('')).toContain(silent);
    // Parts are complete before they are sent.
    expect(await warningOf(fresh.speak({ ...body, retry_badcase: true }))).toBe(`299 svc "${silent}"`);
  });

  it('is regenerated after the silence', async () => {
    await fresh.start({ backend: { loudness: (session) => (session === 0 ? 0 : 1) } });
    const { status, trailers } = await withTrailers();
    expect([status, { ...trailers }]).toEqual([200, {}]);
    expect(fresh.backend.opened).toHaveLength(2);
  });
});

/** `fetch` hides trailers. */
const withTrailers = () =>
  rawRequest(`${fresh.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ input: 'hello', response_format: 'pcm' }),
  });
