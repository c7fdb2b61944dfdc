/** Behavior specific to clients of one of the compatible servers, and errors. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SvcError } from '../../src/errors.ts';
import { defaultLimits } from '../../src/server/context/settings.ts';
import { eventually } from '../support/eventually.ts';
import { bytesOf, type ErrorBody, errorOf, type FormFields, read, statusAndJson, wavOf } from './start-server.ts';
import { expectError, freshServer } from './test-server.ts';

const server = freshServer();

describe('errors', () => {
  it.each([
    ['an unknown voice', '/v1/audio/speech', { input: 'a', voice: 'nobody' }, 404, 'voice'],
    ['a value out of range', '/v1/audio/speech', { input: 'a', speed: 9 }, 400, 'speed'],
    ['no input', '/v1/audio/speech', {}, 400, 'input'],
    ['an unknown path', '/nothing', {}, 404, null],
  ])('contain the message for clients of FastAPI and of the public API: %s', async (_, path, body, status, param) => {
    const [refused, { error, detail }] = await statusAndJson<ErrorBody>(server.post(path, body));
    expect([refused, error.param]).toEqual([status, param]);
    expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code']);
    expect(detail).toBe(error.message);
  });

  it('state the limit and the field', async () => {
    await server.start({
      limits: { bodyBytes: 2_048, uploadBytes: 25 * 1024, inputCharacters: 50, recordingSeconds: 0.5 },
    });
    const raw = (body: string) => server.fetch('/v1/audio/speech', { method: 'POST', body });
    const speak = (input: string) => raw(JSON.stringify({ input }));
    const [wav, noise] = [wavOf(0.4), (bytes: number) => ({ audio: new Uint8Array(bytes) })];
    const send = (fields: FormFields) => server.send('/v1/voices', { id: 'a', text: 't', ...fields });
    for (const [ask, status, message, param] of [
      [() => speak('a'.repeat(3_000)), 413, 'the body is larger than the limit of 2 KiB', null],
      [() => raw('{"input": "a",}'), 400, /^the body is not valid JSON( \(at position \d+\))?$/, null],
      [() => speak('a'.repeat(60)), 400, 'input has 60 characters; the limit is 50', 'input'],
      [() => send(noise(30_000)), 413, 'the file "audio" is larger than the limit of 25 KiB', 'audio'],
      [() => send({ audio: wavOf(0.6) }), 413, 'audio: the recording is longer than the limit of 0.5 seconds', 'audio'],
      [() => send({ text: 't'.repeat(70_000) }), 413, 'the field "text" is longer than the limit of 64 KiB', 'text'],
      [() => send({ other: wav }), 400, 'unexpected file "other" in the form; send one recording', 'other'],
      [() => send({ audio: wav, foo: wav }), 400, 'unexpected file "foo" in the form; send one recording', 'foo'],
      [() => send(noise(500)), 415, /^audio: /, 'audio'],
    ] as const)
      await expectError(ask(), status, { message, param });
    const headers = { 'Content-Type': 'multipart/mixed; boundary=X' };
    const mixed = await server.fetch('/tts', { method: 'POST', headers, body: '--X--\r\n' });
    expect(mixed.status).toBe(400);
    expect(await mixed.text()).toContain('the form is malformed: Unsupported content type');
  });

  it('contain no paths or network addresses', async () => {
    let reason = '';
    await server.start({
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
      await server.fetch('/health'),
      await server.fetch('/voices'),
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
    const find = () => server.logged(`"statusCode":${status}`)[0];
    await eventually(() => find() !== undefined, `a line for ${status}`);
    return JSON.parse(find() as string) as Record<string, unknown>;
  };

  it('states why a request was refused', async () => {
    await server.speak({ input: 'a', speed: 9 });
    const reason = 'speed must be a number from 0.25 to 4, got …';
    expect(await lineOf(400)).toMatchObject({ level: 40, code: 'bad_request', reason });
    await server.speak({ input: 'a', response_format: 'mp3', sample_rate: 12_345 });
    expect((await lineOf(415)).reason).toMatch(/^mp3 does not support … Hz /);
    await server.fetch('/v1/audio/speech');
    expect(await lineOf(405)).toMatchObject({ code: 'method_not_allowed' });
  });

  it('contains no text of clients and no voice names', async () => {
    await server.speak({ input: 'hello', response_format: 'privatewords' });
    await server.speak({ input: 'hello', voice: 'privatevoice' });
    await server.speak({ input: 'privatewords'.repeat(10_000) });
    await server.fetch('/v1/audio/speech', { method: 'POST', body: 'privatewords' });
    await server.send('/v1/voices', { id: 'private voice', text: 'privatewords', audio: wavOf(0.4) });
    await server.send('/v1/voices', { privatefield: wavOf(0.4) });
    await eventually(() => server.logged('"statusCode"').length === 6, 'six lines');
    expect(server.log.join('')).not.toMatch(/private/);
    const reason = 'unknown voice "…" (available: …; see GET /v1/voices)';
    expect(await lineOf(404)).toMatchObject({ code: 'voice_not_found', reason });
  });
});

it('a server that is shutting down refuses waiting requests and those without audio yet, with Retry-After', async () => {
  await server.start({ slots: 1, backend: { stopAt: undefined } });
  const { answer: served, release } = await server.occupy();
  const waiting = [server.speak({ input: 'hello' }), server.post('/tts', {})];
  await eventually(async () => (await server.json('/health')).queue_waiting === 1, 'a request is waiting');
  const closed = server.close(10);
  const [waited] = (await Promise.all(waiting)) as [Response, Response];
  release();
  for (const answer of [waited, await served]) {
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    const message = 'the server is shutting down; retry later';
    expect(await errorOf(answer)).toMatchObject({ type: 'server_error', code: 'unavailable', message });
  }
  await closed;
});

describe('events', () => {
  const speech = {
    input: 'hello there my friend',
    voice: 'alloy',
    response_format: 'pcm',
    sample_rate: 16_000,
    stream_format: 'sse',
  };
  const endless = { backend: { stopAt: undefined, delayMilliseconds: 2 } } as const;
  /** Complete events; rejects when the connection is reset. */
  const rest = async (response: Response): Promise<readonly string[]> => (await response.text()).trim().split('\n\n');
  const cancel = () => server.post('/v1/audio/speech/cancel', {});

  it('of the public API end with an error when canceled', async () => {
    await server.start(endless);
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
    await server.start(endless);
    const response = await server.post('/v1/audio/speech?events=native', speech);
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
    await server.start(endless);
    const response = await server.speak(speech);
    const closed = server.close(10);
    expect((await rest(response)).at(-1)).toContain('the server is shutting down; retry later');
    await closed;
    let steps = 0;
    await server.start({
      backend: {
        stopAt: undefined,
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
    await server.start({
      backend: { stopAt: undefined, info: { patchSamples: 400_000, contextLength: 4096 } },
      limits: { stallMilliseconds: 100 },
    });
    const response = await server.speak(speech);
    await eventually(() => server.backend.opened.every(({ closed }) => closed), 'the session is closed');
    await eventually(async () => (await server.json('/health')).queue_active === 0, 'the job is over');
    await response.body?.cancel();
  });
});

describe('a client of VoxCPMANE', () => {
  it.each([
    ['/v1/audio/speech/stream', {}, 429],
    ['/v1/audio/speech/playback', {}, 429],
    ['/v1/audio/speech', { cfg_value: 2 }, 429],
    ['/v1/audio/speech', { voice: 'alloy' }, 503],
  ])('gets 429 when the server is busy: %s %j', async (path, fields, status) => {
    await server.start({ slots: 1, maxWaiting: 0 });
    const { end } = await server.occupy();
    const refused = await server.post(path, { input: 'hello', ...fields });
    await expectError(refused, status, { code: 'queue_full' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    await end();
  });

  it('gets the validation errors of FastAPI for a missing field', async () => {
    const refused = server.post('/v1/audio/speech/stream', { voice: 5 });
    const [status, { error, detail }] = await statusAndJson<ErrorBody>(refused);
    expect([status, error.param]).toEqual([422, 'input']);
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
    await server.start({ backend: { info: { patchSamples: 1280 } } });
    const response = await server.speak({ input: 'hello', ...body });
    expect(response.headers.get('content-type')).toBe(type);
    expect((await bytesOf(response)).subarray(0, 4).toString()).toBe('OggS');
  });
});

describe('a client of VoxCPM-ONNX', () => {
  it('gets the validation errors of FastAPI for a missing field', async () => {
    const refusals: readonly (readonly [readonly string[], Response])[] = [
      [['query', 'input'], await server.fetch('/tts?voice=x')],
      [['body', 'input'], await server.send('/tts', { voice: 'x' })],
      [['body', 'prompt_audio'], await server.send('/ref_feat', { feat_id: 'a', prompt_text: 'x' })],
      [['body', 'feat_id'], await server.send('/ref_feat', { prompt_audio: wavOf(0.4) })],
    ];
    for (const [loc, refused] of refusals) {
      const [status, { error, detail }] = await statusAndJson<ErrorBody>(refused);
      expect([status, error.code, error.param]).toEqual([422, 'bad_request', loc[1]]);
      expect(detail).toEqual([{ type: 'missing', loc, msg: 'field required' }]);
    }
  });

  it.each([
    ['midi', 'audio/mpeg'],
    ['MP4', 'audio/mpeg'],
    ['opus', 'audio/opus'],
    ['pcm', 'audio/pcm'],
  ])('gets the format %s as %s', async (format, type) => {
    await server.start({ backend: { info: { patchSamples: 1280 } } });
    const response = await read(server.fetch(`/tts?input=hello&response_format=${format}`));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
  });

  it('may omit the transcript of a recording', async () => {
    const stored = server.send('/ref_feat', { feat_id: 'f1', prompt_audio: wavOf(0.01) });
    expect(await statusAndJson(stored)).toEqual([200, { feat_id: 'f1', patches_shape: [40, 2, 3] }]);
    for (const answer of [
      await server.fetch('/tts?input=hello&voice=f1&response_format=pcm'),
      await server.send('/tts', { input: 'hello', prompt_audio: wavOf(0.01), response_format: 'pcm' }),
    ]) {
      expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, 40]);
      expect(server.backend.audio.at(-1)).toBe(40);
    }
    expect((await server.store.get('f1'))?.roles).toEqual(['prompt']);
  });
});

it('silent recordings are refused', async () => {
  const silent = { id: 'a', text: 'No.', audio: wavOf(0.5, 0) };
  await expectError(server.send('/v1/voices', silent), 400, 'audio: the recording is silent');
});

describe('recordings that are too short', () => {
  const shortest = defaultLimits.shortestRecordingSeconds;
  const expected = (field: string) => `${field} must be a recording of ${shortest} to 120 seconds, got 0.20 seconds`;

  it('are refused on every route', async () => {
    await server.start({
      backend: { info: { inputPatchSamples: 1_280 } },
      limits: { shortestRecordingSeconds: shortest },
      voiceFiles: async (folder) => {
        await writeFile(join(folder, 'short.wav'), wavOf(0.2));
        await writeFile(join(folder, 'short.txt'), 'No.');
      },
    });
    const path = { prompt_wav_path: 'short.wav', prompt_text: 'No.' };
    const doors: readonly (readonly [string, Response])[] = [
      ['audio', await server.send('/v1/voices', { id: 'a', text: 'No.', audio: wavOf(0.2) })],
      ['prompt_audio', await server.send('/ref_feat', { feat_id: 'a', prompt_text: 'No.', prompt_audio: wavOf(0.2) })],
      ['prompt_audio', await server.send('/tts', { input: 'a', prompt_text: 'No.', prompt_audio: wavOf(0.2) })],
      ['prompt_wav_path', await server.post('/v1/voices', { voice_name: 'a', ...path })],
      ['prompt_wav_path', await server.speak({ input: 'a', ...path })],
    ];
    for (const [field, refused] of doors) await expectError(refused, 400, expected(field));
    expect(await server.store.list()).toEqual([]);
    expect(server.backend.calls).toEqual([]);
    expect((await server.send('/v1/voices', { id: 'a', text: 'No.', audio: wavOf(0.31) })).status).toBe(201);
  });
});
