/** Warnings about speech that differs from the request, on every speech route. */
import { readFile, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { decodeAudio } from '../../src/audio/decode/read-audio.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { warningFields } from '../../src/server/http/warning-fields.ts';
import { errorOf, post, startServer, type TestServer, wavOf } from './start-server.ts';
import { sharedServer } from './test-server.ts';

const peakOf = (samples: Float32Array): number => samples.reduce((peak, value) => Math.max(peak, Math.abs(value)), 0);

describe('warningFields', () => {
  it('are ASCII, quoted, few and short', () => {
    expect(warningFields([])).toEqual({});
    expect(warningFields(['a "b" \\', '你'])).toEqual({ Warning: '299 svc "a \\"b\\" \\\\", 299 svc "U+4F60"' });
    const { Warning: long = '' } = warningFields(Array(50).fill('x'.repeat(5_000)));
    expect(long.length).toBeLessThan(4_000);
  });
});

describe('the demo model', () => {
  const nothing = async () => undefined;
  const server = sharedServer(async () => ({
    engine: await createEngine({ backend: 'cpu', threads: 1, maxBatch: 4 }),
    openPlayer: async () => ({ write: nothing, finish: nothing, abort: nothing }),
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
    const url = `${server.url}/v1/audio/speech?events=${events}`;
    const response = await post(url, { ...pcm, input: 'Hello 你.', stream_format: 'sse' });
    expect(response.headers.get('Warning')).toContain('U+4F60');
    const lines = (await response.text()).match(/^data: .*$/gm) ?? [];
    expect(JSON.parse(lines.at(-1)?.slice(6) ?? '')).toMatchObject({
      type,
      warnings: [expect.stringContaining('cannot read "你"')],
    });
  });

  it('warns about letters that it cannot read', async () => {
    const response = await server.speak({ ...pcm, input: '你好，世界。' });
    const warning = response.headers.get('Warning') ?? '';
    expect(warning).toContain('U+4F60');
    expect(warning).toContain('it speaks English');
    await response.arrayBuffer();
    expect(server.log.join('')).toContain('你好世界');
  });
});

it('warns about a transcript without its recording', async () => {
  await using server = await startServer();
  const response = await server.speak({ input: 'hello', response_format: 'pcm', ref_text: 'The words.' });
  expect(response.headers.get('Warning')).toBe('299 svc "ref_text needs ref_audio; it is ignored"');
  await response.arrayBuffer();
});

describe('instructions', () => {
  const instructed = { input: 'hello', response_format: 'pcm', instructions: 'whisper' };

  it('are ignored with a warning by a model that cannot follow them', async () => {
    await using server = await startServer();
    for (const input of ['hello', '...']) {
      const response = await server.speak({ ...instructed, input });
      expect([response.status, response.headers.get('Warning')]).toEqual([
        200,
        '299 svc "instructions need a VoxCPM 2 model; \\"fake\\" is an earlier one; they are ignored"',
      ]);
      await response.arrayBuffer();
    }
    // The same text as without instructions.
    await server.hear({ ...instructed, instructions: undefined });
    const [first, second] = server.backend.prefixes;
    expect(first?.tokens).toEqual(second?.tokens);
  });

  it('are ignored with a warning with a voice that has a transcript', async () => {
    await using server = await startServer({
      backend: { info: { architecture: 'voxcpm2', inputPatchSamples: 640 } },
      voiceFiles: async (folder) => {
        await writeFile(join(folder, 'anna.wav'), wavOf(0.5, 0.5));
        await writeFile(join(folder, 'anna.txt'), 'The words.');
      },
    });
    const response = await server.speak({ ...instructed, voice: 'anna' });
    expect(response.headers.get('Warning')).toBe(
      '299 svc "instructions cannot be combined with a voice that has a transcript; they are ignored"',
    );
    await response.arrayBuffer();
    const followed = await server.speak(instructed);
    expect([followed.status, followed.headers.get('Warning')]).toEqual([200, null]);
    await followed.arrayBuffer();
  });

  it('are refused by a strict server', async () => {
    await using server = await startServer({ settings: { strictness: 'strict' } });
    const response = await server.speak(instructed);
    expect([response.status, await errorOf(response)]).toEqual([
      400,
      {
        message: 'instructions need a VoxCPM 2 model; "fake" is an earlier one',
        type: 'invalid_request_error',
        param: 'instructions',
        code: 'unsupported_parameter',
      },
    ]);
    expect(server.backend.calls).toEqual([]);
    await server.hear({ ...instructed, instructions: ' ' });
  });
});

describe('silent speech', () => {
  it('is reported in a trailer, in the last event and in the log', async () => {
    await using server = await startServer({ backend: { loudness: () => 0 } });
    const silent = 'the speech is silent; try another seed or another text';
    const answer = await trailersOf(server, { input: 'hello', response_format: 'pcm' });
    expect([answer.status, answer.trailers.warning, answer.header]).toEqual([200, `299 svc "${silent}"`, undefined]);
    const events = await (await server.speak({ input: 'hello', response_format: 'pcm', stream_format: 'sse' })).text();
    expect(events).toContain(`"warnings":["${silent}"]`);
    expect(server.log.join('')).toContain(silent);
    // Parts are complete before they are sent.
    const parts = await server.speak({ input: 'hello', response_format: 'pcm', retry_badcase: true });
    expect(parts.headers.get('Warning')).toBe(`299 svc "${silent}"`);
    await parts.arrayBuffer();
  });

  it('is regenerated after the silence', async () => {
    await using server = await startServer({ backend: { loudness: (session) => (session === 0 ? 0 : 1) } });
    const answer = await trailersOf(server, { input: 'hello', response_format: 'pcm' });
    expect([answer.status, answer.trailers]).toEqual([200, {}]);
    expect(server.backend.opened).toHaveLength(2);
  });
});

interface Answer {
  readonly status: number | undefined;
  readonly header: string | undefined;
  readonly trailers: NodeJS.Dict<string>;
}

/** `fetch` hides trailers. */
function trailersOf({ port }: TestServer, body: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' };
    const options = { host: '127.0.0.1', port, path: '/v1/audio/speech', method: 'POST', headers };
    const asking = httpRequest(options, (response) => {
      response.resume().once('end', () => {
        const { statusCode: status, trailers } = response;
        resolve({ status, header: response.headers.warning, trailers });
      });
    });
    asking.once('error', reject).end(JSON.stringify(body));
  });
}
