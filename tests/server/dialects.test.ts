/** Behavior specific to clients of one of the compatible servers, and errors. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import { defaultLimits } from '../../src/server/context/settings.ts';
import { eventually } from '../support/eventually.ts';
import { type ErrorBody, post, type StartOptions, startServer, type TestServer } from './start-server.ts';

let server: TestServer;
const start = async (options: StartOptions = {}): Promise<TestServer> => {
  server = await startServer(options);
  return server;
};

afterEach(() => server.close());

const wav = (seconds: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(encodeWav(new Float32Array(16_000 * seconds).fill(0.1), 16_000));

const send = (path: string, fields: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>): Promise<Response> => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') data.set(name, value);
    else data.set(name, new Blob([value]), 'recording.bin');
  }
  return fetch(`${server.url}${path}`, { method: 'POST', body: data });
};

const bodyOf = async (response: Response): Promise<ErrorBody> => (await response.json()) as ErrorBody;

const audioPositions = (): number | undefined =>
  server.backend.prefixes.at(-1)?.audioMask.filter((is) => is === 1).length;

describe('errors', () => {
  it.each([
    ['an unknown voice', { input: 'a', voice: 'nobody' }, 404],
    ['a value out of range', { input: 'a', speed: 9 }, 400],
    ['no input', {}, 400],
  ])('contain the message for clients of FastAPI and of the public API: %s', async (_, body, status) => {
    await start();
    const refused = await server.speak(body);
    expect(refused.status).toBe(status);
    const { error, detail } = await bodyOf(refused);
    expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code']);
    expect(detail).toBe(error.message);
  });

  it('name the wrong field', async () => {
    await start();
    expect((await bodyOf(await server.speak({ input: 'a', speed: 9 }))).error.param).toBe('speed');
    expect((await bodyOf(await fetch(`${server.url}/nothing`))).error.param).toBeNull();
  });

  it('state the limit and the field', async () => {
    await start({ limits: { bodyBytes: 2_048, uploadBytes: 25 * 1024, inputCharacters: 50, recordingSeconds: 0.5 } });
    const raw = (body: string) => fetch(`${server.url}/v1/audio/speech`, { method: 'POST', body });
    const upload = (audio: Uint8Array<ArrayBuffer>, text = 't') => send('/v1/voices', { id: 'a', text, audio });
    const messageOf = async (answer: Promise<Response>): Promise<readonly unknown[]> => {
      const response = await answer;
      const { message, param } = (await bodyOf(response)).error;
      return [response.status, message, param];
    };
    expect(await messageOf(raw(JSON.stringify({ input: 'a'.repeat(3_000) })))).toEqual([
      413,
      'the body is larger than the limit of 2 KiB',
      null,
    ]);
    expect(await messageOf(raw('{"input": "a",}'))).toEqual([
      400,
      expect.stringMatching(/^the body is not valid JSON( \(at position \d+\))?$/),
      null,
    ]);
    expect(await messageOf(raw(JSON.stringify({ input: 'a'.repeat(60) })))).toEqual([
      400,
      'input has 60 characters; the limit is 50',
      'input',
    ]);
    expect(await messageOf(upload(new Uint8Array(30_000)))).toEqual([
      413,
      'the file "audio" is larger than the limit of 25 KiB',
      'audio',
    ]);
    expect(await messageOf(upload(wav(0.6)))).toEqual([
      413,
      'audio: the recording is longer than the limit of 0.5 seconds',
      'audio',
    ]);
    expect(await messageOf(upload(wav(0.4), 't'.repeat(70_000)))).toEqual([
      413,
      'the field "text" is longer than the limit of 64 KiB',
      'text',
    ]);
    expect(await messageOf(send('/v1/voices', { id: 'a', text: 't', other: wav(0.4) }))).toEqual([
      400,
      'unexpected file "other" in the form; send one recording',
      'other',
    ]);
    expect(await messageOf(send('/v1/voices', { id: 'a', text: 't', audio: wav(0.4), foo: wav(0.4) }))).toEqual([
      400,
      'unexpected file "foo" in the form; send one recording',
      'foo',
    ]);
    expect(await messageOf(upload(new Uint8Array(500)))).toEqual([415, expect.stringMatching(/^audio: /), 'audio']);
    const mixed = await fetch(`${server.url}/tts`, {
      method: 'POST',
      headers: { 'Content-Type': 'multipart/mixed; boundary=X' },
      body: '--X--\r\n',
    });
    expect(mixed.status).toBe(400);
    expect(await mixed.text()).toContain('the form is malformed: Unsupported content type');
  });

  it('contain no paths or network addresses', async () => {
    const { SvcError } = await import('../../src/errors.ts');
    let reason = '';
    await start({
      voiceFiles: (folder) => writeFile(join(folder, 'noise.wav'), 'no audio'),
      backend: {
        onCall: ({ kind }) => {
          if (kind === 'step') throw new SvcError('BACKEND_UNAVAILABLE', reason, { cause: new Error('the cause') });
        },
      },
    });
    const { folder } = server;
    const answers = [
      await server.speak({ input: 'a', prompt_wav_path: 'noise.wav', prompt_text: 'x' }),
      await server.speak({ input: 'a', prompt_wav_path: 'none.wav', prompt_text: 'x' }),
      await fetch(`${server.url}/health`),
      await fetch(`${server.url}/voices`),
    ];
    for (const text of [`cannot open ${folder}/x.gguf`, 'no answer: connect ECONNREFUSED 10.1.2.3:6379']) {
      reason = text;
      answers.push(await server.speak({ input: 'a' }));
    }
    expect(answers.map(({ status }) => status)).toEqual([415, 403, 200, 200, 503, 503]);
    for (const answer of answers) {
      const text = await answer.text();
      expect(text).not.toContain(folder);
      expect(text).not.toContain('10.1.2.3');
    }
    // The log contains them.
    expect(server.log.join('')).toContain('10.1.2.3');
    expect(server.log.join('')).toContain('"cause":"the cause"');
  });
});

describe('the log', () => {
  const lineOf = async (status: number): Promise<Record<string, unknown>> => {
    const find = () => server.log.find((line) => line.includes(`"statusCode":${status}`));
    await eventually(() => find() !== undefined, `a line for ${status}`);
    return JSON.parse(find() as string) as Record<string, unknown>;
  };

  it('states why a request was refused', async () => {
    await start();
    await server.speak({ input: 'a', speed: 9 });
    expect(await lineOf(400)).toMatchObject({
      level: 40,
      code: 'bad_request',
      reason: 'speed must be a number from 0.25 to 4, got …',
    });
    await server.speak({ input: 'a', response_format: 'mp3', sample_rate: 12_345 });
    expect((await lineOf(415)).reason).toMatch(/^mp3 does not support … Hz /);
    await fetch(`${server.url}/v1/audio/speech`);
    expect(await lineOf(405)).toMatchObject({ code: 'method_not_allowed' });
  });

  it('contains no text of clients and no voice names', async () => {
    await start();
    await server.speak({ input: 'hello', response_format: 'privatewords' });
    await server.speak({ input: 'hello', voice: 'privatevoice' });
    await server.speak({ input: 'privatewords'.repeat(10_000) });
    await fetch(`${server.url}/v1/audio/speech`, { method: 'POST', body: 'privatewords' });
    await send('/v1/voices', { id: 'private voice', text: 'privatewords', audio: wav(0.4) });
    await send('/v1/voices', { privatefield: wav(0.4) });
    await eventually(() => server.log.filter((line) => line.includes('"statusCode"')).length === 6, 'six lines');
    expect(server.log.join('')).not.toMatch(/private/);
    expect(await lineOf(404)).toMatchObject({
      code: 'voice_not_found',
      reason: 'unknown voice "…" (available: …; see GET /v1/voices)',
    });
  });
});

describe('a server that is shutting down', () => {
  it('refuses waiting requests and those without audio yet, with Retry-After', async () => {
    await start({ slots: 1, backend: { stopAt: undefined as unknown as number } });
    const release = server.backend.hold();
    const served = server.speak({ input: 'hello', response_format: 'pcm' });
    await eventually(() => server.backend.calls.length > 0, 'a request is running');
    const waiting = [server.speak({ input: 'hello' }), post(`${server.url}/tts`, {})];
    await eventually(
      async () =>
        ((await (await fetch(`${server.url}/health`)).json()) as { queue_waiting: number }).queue_waiting === 1,
      'a request is waiting',
    );
    const closed = server.close(10);
    const [waited] = (await Promise.all(waiting)) as [Response, Response];
    release();
    for (const answer of [waited, await served]) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
      expect((await bodyOf(answer)).error).toMatchObject({
        type: 'server_error',
        code: 'unavailable',
        message: 'the server is shutting down; retry later',
      });
    }
    await closed;
  });
});

describe('events', () => {
  const speech = {
    input: 'hello there my friend',
    voice: 'alloy',
    response_format: 'pcm',
    sample_rate: 16_000,
    stream_format: 'sse',
  };
  const endless = { backend: { stopAt: undefined as unknown as number, delayMilliseconds: 2 } } as const;
  /** Complete events; rejects when the connection is reset. */
  const rest = async (response: Response): Promise<readonly string[]> => (await response.text()).trim().split('\n\n');
  const cancel = () => post(`${server.url}/v1/audio/speech/cancel`, {});

  it('of the public API end with an error when canceled', async () => {
    await start(endless);
    const response = await server.speak(speech);
    await cancel();
    const last = (await rest(response)).at(-1) ?? '';
    const message = 'canceled by a cancel request';
    expect(JSON.parse(last.replace(/^data: /, ''))).toEqual({
      type: 'error',
      error: { message, type: 'server_error', param: null, code: 'cancelled' },
      detail: message,
    });
  });

  it("of VoxCPM.cpp's server end with its own error event", async () => {
    await start(endless);
    const response = await post(`${server.url}/v1/audio/speech?events=native`, speech);
    await cancel();
    const last = (await rest(response)).at(-1) ?? '';
    expect(last).toMatch(/^event: audio\.error\ndata: /);
    expect(JSON.parse(last.replace(/^.*\ndata: /, ''))).toEqual({
      type: 'audio.error',
      error: true,
      message: 'canceled by a cancel request',
      code: 'cancelled',
    });
  });

  it('end with an error when the server shuts down, and when the model fails', async () => {
    await start(endless);
    const response = await server.speak(speech);
    const closed = server.close(10);
    expect((await rest(response)).at(-1)).toContain('the server is shutting down; retry later');
    await closed;
    let steps = 0;
    await start({
      backend: {
        stopAt: undefined as unknown as number,
        onCall: ({ kind }) => {
          if (kind === 'step') steps += 1;
          if (steps === 4) throw new Error('late, of /home/someone');
        },
      },
    });
    const events = await rest(await server.speak(speech));
    expect(events.length).toBeGreaterThan(1);
    expect(events.at(-1)).toContain('internal error; see the log of the server');
  });

  it('disconnect a client that does not read the last one', async () => {
    await start({
      backend: { stopAt: undefined as unknown as number, info: { patchSamples: 400_000, contextLength: 4096 } },
      limits: { stallMilliseconds: 100 },
    });
    const response = await server.speak(speech);
    await eventually(() => server.backend.opened.every(({ closed }) => closed), 'the session is closed');
    const health = async () =>
      (await (await fetch(`${server.url}/health`)).json()) as { readonly queue_active: number };
    await eventually(async () => (await health()).queue_active === 0, 'the job is over');
    await response.body?.cancel();
  });
});

describe('a client of VoxCPM.cpp', () => {
  it('learns from a strict server which parameter is not supported', async () => {
    await start({ settings: { strictness: 'strict' } });
    const refused = await server.speak({ input: 'a', voice: 'default', instructions: 'whisper' });
    expect(refused.status).toBe(400);
    expect((await bodyOf(refused)).error).toMatchObject({
      type: 'invalid_request_error',
      code: 'unsupported_parameter',
      param: 'instructions',
    });
  });
});

describe('a client of VoxCPMANE', () => {
  it.each([
    ['/v1/audio/speech/stream', {}, 429],
    ['/v1/audio/speech/playback', {}, 429],
    ['/v1/audio/speech', { cfg_value: 2 }, 429],
    ['/v1/audio/speech', { voice: 'alloy' }, 503],
  ])('gets 429 when the server is busy: %s %j', async (path, fields, status) => {
    await start({ slots: 1, maxWaiting: 0 });
    const release = server.backend.hold();
    const served = server.speak({ input: 'hello', response_format: 'pcm' });
    await eventually(() => server.backend.calls.length > 0, 'the slot is taken');
    const refused = await post(`${server.url}${path}`, { input: 'hello', ...fields });
    expect([refused.status, (await bodyOf(refused)).error.code]).toEqual([status, 'queue_full']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    release();
    await (await served).arrayBuffer();
  });

  it('gets the validation errors of FastAPI for a missing field', async () => {
    await start();
    const refused = await post(`${server.url}/v1/audio/speech/stream`, { voice: 5 });
    const { error, detail } = await bodyOf(refused);
    expect([refused.status, error.param]).toEqual([422, 'input']);
    expect(detail).toEqual([
      { type: 'missing', loc: ['body', 'input'], msg: 'field required' },
      { type: 'value_error', loc: ['body', 'voice'], msg: 'must be a string or an object with an id' },
    ]);
  });

  it.each([
    [{ response_format: 'opus' }, 'audio/opus'],
    [{ response_format: 'opus', voice: 'alloy' }, 'audio/ogg; codecs=opus'],
    [{ response_format: 'ogg' }, 'audio/ogg; codecs=opus'],
  ])('gets %j as %s', async (body, type) => {
    await start({ backend: { info: { patchSamples: 1280 } } });
    const response = await server.speak({ input: 'hello', ...body });
    expect(response.headers.get('content-type')).toBe(type);
    expect(
      Buffer.from(await response.arrayBuffer())
        .subarray(0, 4)
        .toString(),
    ).toBe('OggS');
  });
});

describe('a client of VoxCPM-ONNX', () => {
  it('gets the validation errors of FastAPI for a missing field', async () => {
    await start();
    const refusals: readonly (readonly [readonly string[], Response])[] = [
      [['query', 'input'], await fetch(`${server.url}/tts?voice=x`)],
      [['body', 'input'], await send('/tts', { voice: 'x' })],
      [['body', 'prompt_audio'], await send('/ref_feat', { feat_id: 'a', prompt_text: 'x' })],
      [['body', 'feat_id'], await send('/ref_feat', { prompt_audio: wav(0.4) })],
    ];
    for (const [loc, refused] of refusals) {
      const { error, detail } = await bodyOf(refused);
      expect([refused.status, error.code, error.param]).toEqual([422, 'bad_request', loc[1]]);
      expect(detail).toEqual([{ type: 'missing', loc, msg: 'field required' }]);
    }
  });

  it.each([
    ['midi', 'audio/mpeg'],
    ['MP4', 'audio/mpeg'],
    ['opus', 'audio/opus'],
    ['pcm', 'audio/pcm'],
  ])('gets the format %s as %s', async (format, type) => {
    await start({ backend: { info: { patchSamples: 1280 } } });
    const response = await fetch(`${server.url}/tts?input=hello&response_format=${format}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    await response.arrayBuffer();
  });

  it('may omit the transcript of a recording', async () => {
    await start();
    const stored = await send('/ref_feat', { feat_id: 'f1', prompt_audio: wav(0.01) });
    expect([stored.status, await stored.json()]).toEqual([200, { feat_id: 'f1', patches_shape: [40, 2, 3] }]);
    for (const answer of [
      await fetch(`${server.url}/tts?input=hello&voice=f1&response_format=pcm`),
      await send('/tts', { input: 'hello', prompt_audio: wav(0.01), response_format: 'pcm' }),
    ]) {
      expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, 40]);
      expect(audioPositions()).toBe(40);
    }
    expect((await server.store.get('f1'))?.roles).toEqual(['prompt']);
  });
});

describe('silent recordings', () => {
  it('are refused', async () => {
    await start();
    const silence = new Uint8Array(encodeWav(new Float32Array(8_000), 16_000));
    const refused = await send('/v1/voices', { id: 'a', text: 'No.', audio: silence });
    expect([refused.status, (await bodyOf(refused)).error.message]).toEqual([400, 'audio: the recording is silent']);
  });
});

describe('recordings that are too short', () => {
  const shortest = defaultLimits.shortestRecordingSeconds;
  const expected = (field: string) => `${field} must be a recording of ${shortest} to 120 seconds, got 0.20 seconds`;

  it('are refused on every route', async () => {
    await start({
      backend: { info: { inputPatchSamples: 1_280 } },
      limits: { shortestRecordingSeconds: shortest },
      voiceFiles: async (folder) => {
        await writeFile(join(folder, 'short.wav'), wav(0.2));
        await writeFile(join(folder, 'short.txt'), 'No.');
      },
    });
    const path = { prompt_wav_path: 'short.wav', prompt_text: 'No.' };
    const doors: readonly (readonly [string, Response])[] = [
      ['audio', await send('/v1/voices', { id: 'a', text: 'No.', audio: wav(0.2) })],
      ['prompt_audio', await send('/ref_feat', { feat_id: 'a', prompt_text: 'No.', prompt_audio: wav(0.2) })],
      ['prompt_audio', await send('/tts', { input: 'a', prompt_text: 'No.', prompt_audio: wav(0.2) })],
      ['prompt_wav_path', await post(`${server.url}/v1/voices`, { voice_name: 'a', ...path })],
      ['prompt_wav_path', await server.speak({ input: 'a', ...path })],
    ];
    for (const [field, refused] of doors) {
      expect([refused.status, (await bodyOf(refused)).error.message]).toEqual([400, expected(field)]);
    }
    expect(await server.store.list()).toEqual([]);
    expect(server.backend.calls).toEqual([]);
    expect((await send('/v1/voices', { id: 'a', text: 'No.', audio: wav(0.31) })).status).toBe(201);
  });
});
