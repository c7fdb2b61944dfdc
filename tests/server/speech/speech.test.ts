import { once } from 'node:events';
import { type IncomingMessage, request as requestOver } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { decodeAudio } from '../../../src/audio/decode/read-audio.ts';
import { eventually } from '../../support/eventually.ts';
import { rawSockets } from '../raw-sockets.ts';
import { bytesOf, formOf, read, silentPlayer, statusAndJson } from '../start-server.ts';
import { expectError, freshServer, sharedServer } from '../test-server.ts';

const server = freshServer();
const open = rawSockets();
const shared = sharedServer({ backend: { info: { patchSamples: 1280 } } });
/** Audio of the fake backend: patch n is four samples of n, clipped to 1. */
const isClosed = (): boolean => server.backend.opened.every(({ closed }) => closed);

describe('POST /v1/audio/speech', () => {
  it('returns audio, sample rate, job and seed', async () => {
    const body = { model: 'fake', input: 'hello', voice: 'alloy', response_format: 'wav', seed: 5 };
    const response = await server.speak(body);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'audio/wav',
      'x-sample-rate': '16000',
      'x-job-id': '1',
      'x-seed': '5',
      'cache-control': 'no-store',
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 4).toString()).toBe('RIFF');
    expect(bytes.length).toBe(44 + 5 * 4 * 2);
    expect(isClosed()).toBe(true);
  });

  it.each([
    ['the public API asks for mp3', { voice: 'alloy' }, 'audio/mpeg'],
    ['B asks for wav, without a voice', {}, 'audio/wav'],
    ['B asks for wav, with fields of its own', { voice: 'alloy', cfg_value: 2 }, 'audio/wav'],
  ])('without a format, %s', async (_, body, type) => {
    expect((await read(shared.speak({ input: 'hello', ...body }))).headers.get('content-type')).toBe(type);
  });

  it.each(['wav', 'pcm', 'mp3', 'opus', 'flac', 'aac', 'ogg', 'WAV'])('returns %s', async (format) => {
    expect((await shared.hear({ input: 'hello', response_format: format })).length).toBeGreaterThan(100);
  });

  it('passes on the parameters', async () => {
    await server.start({ backend: { stopAt: undefined } });
    const body = { input: 'hello', response_format: 'pcm', max_length: 3, inference_timesteps: 7 };
    expect((await server.hear(body)).length).toBe(3 * 4 * 2);
    expect(server.backend.opened.map(({ timesteps }) => timesteps)).toEqual([7]);
  });

  it("accepts JSON without a content type, like VoxCPM.cpp's server", async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const body = '{"input":"hello","voice":{"id":"default"}}';
    await bytesOf(server.fetch('/v1/audio/speech', { method: 'POST', headers, body }));
  });

  it('changes length with speed and bytes with sample_rate', async () => {
    await server.start({ backend: { info: { patchSamples: 1600 } } });
    const length = async (body: object) =>
      (await server.hear({ input: 'hello', response_format: 'pcm', ...body })).length;
    expect(await length({})).toBe(16_000);
    expect(await length({ speed: 2 })).toBe(8_000);
    expect(Math.abs((await length({ sample_rate: 24_000 })) - 24_000)).toBeLessThan(200);
  });

  it('regenerates speech that is too long, if requested', async () => {
    // Never stops, so every attempt reaches the limit of six patches per token.
    await server.start({ backend: { stopAt: undefined } });
    await server.hear({ input: 'hi', response_format: 'pcm', retry_badcase: true });
    expect(server.backend.opened).toHaveLength(3);
  });

  it('refuses other model names if one was set, and accepts any otherwise', async () => {
    await server.start({ modelMatch: 'exact' });
    await expectError(server.speak({ input: 'a', model: 'tts-1' }), 404, { code: 'model_not_found' });
    expect((await server.speak({ input: 'a', model: 'fake' })).status).toBe(200);
    await server.start();
    expect((await server.speak({ input: 'a', model: 'tts-1' })).status).toBe(200);
  });

  it('refuses a body that is declared too large before it arrives', async () => {
    await server.start({ limits: { bodyBytes: 1000 } });
    const request = requestOver(`${server.url}/v1/audio/speech/cancel`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Length': 2000 },
    });
    request.write('{');
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(413);
    request.destroy();
  });
});

describe('streaming', () => {
  it.each([
    ['public', '', 'speech.audio.delta', 'speech.audio.done'],
    ['native', '?events=native', 'audio.delta', 'audio.completed'],
  ])('sends events with the names of the %s API', async (_, query, delta, done) => {
    const response = await server.post(`/v1/audio/speech${query}`, {
      input: 'hello',
      voice: 'alloy',
      response_format: 'pcm',
      sample_rate: 16_000,
      stream_format: 'sse',
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const text = await response.text();
    const events = text
      .split('\n\n')
      .filter((event) => event !== '')
      .map((event) => JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '') as Record<string, unknown>);
    expect(events.map(({ type }) => type)).toEqual([...Array.from({ length: 5 }, () => delta), done]);
    const audio = events.slice(0, -1).map((event) => Buffer.from(String(event.audio ?? event.delta), 'base64'));
    expect(Buffer.concat(audio)).toHaveLength(40);
    expect(text.startsWith('event: ')).toBe(query !== '');
    const usage = { input_tokens: 5, output_tokens: 5, total_tokens: 10 };
    expect(events.at(-1)?.usage).toEqual(query === '' ? usage : undefined);
  });

  it('streams raw samples to clients of VoxCPMANE', async () => {
    const response = await server.post('/v1/audio/speech/stream', { input: 'hello', response_format: 'mp3' });
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('x-sample-rate')).toBe('16000');
    expect((await response.arrayBuffer()).byteLength).toBe(40);
  });

  it('sets the status for an early error', async () => {
    await server.start({
      backend: {
        onCall: ({ kind }) => {
          if (kind === 'step') throw new Error('a secret of /home/someone');
        },
      },
    });
    const response = await server.speak({ input: 'hello', response_format: 'wav' });
    expect(response.status).toBe(500);
    const body = await response.text();
    expect(JSON.parse(body)).toMatchObject({ error: { type: 'server_error', code: 'internal' } });
    expect(body).not.toMatch(/secret|home|stack|at /);
    expect(server.log.join('')).toContain('a secret');
  });

  it.each(['HTTP/1.1', 'HTTP/1.0'])('resets the connection for a later error (%s)', async (version) => {
    let steps = 0;
    await server.start({
      backend: {
        stopAt: undefined,
        onCall: ({ kind }) => {
          if (kind !== 'step') return;
          steps += 1;
          if (steps === 3) throw new Error('late');
        },
      },
    });
    const body = '{"input":"hello","response_format":"pcm"}';
    const socket = await open(server.port);
    socket.write(
      `POST /v1/audio/speech ${version}\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const received: Buffer[] = [];
    const end = await new Promise((resolve) => {
      socket.on('data', (part: Buffer) => received.push(part));
      socket.on('end', () => resolve('end'));
      socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
    });
    expect(end).toBe('ECONNRESET');
    expect(Buffer.concat(received).toString()).not.toContain('\r\n0\r\n');
    await eventually(isClosed, 'the session is closed');
  });
});

describe('clients that disconnect', () => {
  it('frees the engine within a step', async () => {
    await server.start({ backend: { stopAt: undefined, delayMilliseconds: 2 } });
    const gone = new AbortController();
    const response = await server.speak({ input: 'hello', response_format: 'pcm' }, { signal: gone.signal });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    gone.abort();
    await reader.read().catch(() => undefined);
    await eventually(isClosed, 'the session is closed');
    const calls = server.backend.calls.length;
    await server.hear({ input: 'hello', response_format: 'pcm', max_length: 2 });
    expect(server.backend.calls.slice(calls).filter(({ sessions }) => sessions.includes(0))).toEqual([]);
    expect(await server.json('/health')).toMatchObject({ queue_active: 0, is_processing: false });
  });

  it('closes connections without a complete request', async () => {
    await server.start({ listen: { headersMilliseconds: 100, requestMilliseconds: 200, checkMilliseconds: 20 } });
    const answer = async (text: string): Promise<string> => {
      const socket = await open(server.port);
      socket.write(text);
      return readText(socket);
    };
    expect(await answer('GET /health HT')).toContain('408');
    const head = 'POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{';
    expect(await answer(head)).toContain('408');
  });
});

describe('concurrent requests', () => {
  it('share steps, and are refused when the queue is full', async () => {
    await server.start({ slots: 2, maxWaiting: 1, backend: { stopAt: 4, delayMilliseconds: 1 } });
    const release = server.backend.hold();
    const pcm = { input: 'hello', response_format: 'pcm' };
    const speak = () => server.speak(pcm);
    const served = [speak(), speak(), speak()];
    await eventually(async () => (await server.json('/health')).queue_waiting === 1, 'a request is waiting');
    const refused = await speak();
    await expectError(refused, 503, { code: 'queue_full' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await server.speak({ input: 'a', speed: 99 })).status).toBe(400);
    release();
    for (const response of served) expect((await bytesOf(response)).length).toBe(40);
    expect(server.backend.log).toContain('step 0+1');
    const metrics = await server.text('/metrics');
    expect(metrics).toContain('svc_queue_refused_total 1');
    expect(metrics).toContain('svc_http_requests_total{method="POST",route="/v1/audio/speech",status="200"} 3');
    expect(metrics).toMatch(/svc_batch_size_bucket\{le="2"\} [1-9]/);
    expect(metrics).toMatch(/svc_first_audio_seconds_count 3/);
    expect(metrics).toMatch(/svc_audio_seconds_total\{model="fake"\} 0\.0/);
    expect(metrics).toMatch(/svc_real_time_factor_count 3/);
  });

  it('end at their deadline unless the speech has begun', async () => {
    await server.start({ slots: 1, maxWaiting: 9 });
    const deadline = (seconds: string) => ({ headers: { 'X-Deadline-Seconds': seconds } });
    const speak = (seconds: string) => server.speak({ input: 'hello', response_format: 'pcm' }, deadline(seconds));
    const first = await server.occupy({ input: 'hello', response_format: 'pcm' }, deadline('600'));
    await expectError(speak('0.05'), 504, { code: 'deadline_exceeded' });
    await expectError(speak('soon'), 400, 'X-Deadline-Seconds must be a number above 0 and up to 3600, got "soon"');
    expect((await first.end()).length).toBe(40);
  });

  it('are canceled by job number, by request id, or all', async () => {
    await server.start({ backend: { stopAt: undefined, delayMilliseconds: 2 }, slots: 3 });
    const speak = (id: string) =>
      server.speak({ input: 'hello', response_format: 'pcm' }, { headers: { 'X-Request-Id': id } });
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map(speak));
    const cancel = async (body?: object, query = '') => {
      const init = { method: 'POST', ...(body && { body: JSON.stringify(body) }) };
      const answer = server.fetch(`/v1/audio/speech/cancel${query}`, init);
      return (await statusAndJson<{ cancelled: number[] }>(answer))[1];
    };
    const id = Number(a?.headers.get('x-job-id'));
    const message = `Cancellation signal sent to Job ${id}`;
    expect(await cancel({ job_id: id })).toEqual({ status: 'success', message, cancelled: [id] });
    await expect(a?.arrayBuffer()).rejects.toThrow();
    const form = formOf({ job_id: String(id) });
    const refused = [JSON.stringify({ jobid: id }), '[]', '5', 'null', form].map(async (body) => {
      const response = await server.fetch('/v1/audio/speech/cancel', { method: 'POST', body });
      return response.status;
    });
    expect(await Promise.all(refused)).toEqual([400, 400, 400, 400, 400]);
    expect((await cancel(undefined, '?job_id=b')).cancelled).toEqual([Number(b?.headers.get('x-job-id'))]);
    await expect(b?.arrayBuffer()).rejects.toThrow();
    expect((await cancel(undefined)).cancelled).toEqual([Number(c?.headers.get('x-job-id'))]);
    await expect(c?.arrayBuffer()).rejects.toThrow();
    expect(await cancel(undefined)).toEqual({ status: 'success', message: 'No generation in progress', cancelled: [] });
    await eventually(isClosed, 'the sessions are closed');
  });

  it('finish when the server closes, and new ones are refused', async () => {
    await server.start({ backend: { stopAt: 20, delayMilliseconds: 2 } });
    const response = await server.speak({ input: 'hello', response_format: 'pcm' });
    const closed = server.close(5_000);
    expect((await response.arrayBuffer()).byteLength).toBe(21 * 8);
    await closed;
    await expect(server.speak({ input: 'hello' })).rejects.toThrow();
    expect(server.backend.disposed()).toBe(true);
  });

  it('are canceled if they do not finish in time when the server closes', async () => {
    await server.start({ backend: { stopAt: undefined, delayMilliseconds: 5 } });
    const response = await server.speak({ input: 'hello hello hello', response_format: 'pcm' });
    await server.close(50);
    await expect(response.arrayBuffer()).rejects.toThrow();
  });
});

describe('a text without words', () => {
  const wordless = ['😀', '...', '—', ' "?!" ', '* * *', '。，'];
  const silence = 0.25;

  it.each(wordless)('is a short silence: %j', async (input) => {
    const response = await server.speak({ input, response_format: 'pcm', sample_rate: 24_000, seed: 7 });
    expect([response.status, response.headers.get('x-seed')]).toEqual([200, '7']);
    const samples = new Int16Array(await response.arrayBuffer());
    expect([samples.length, samples.every((sample) => sample === 0)]).toEqual([24_000 * silence, true]);
    expect(server.backend.calls).toEqual([]);
  });

  it.each(['wav', 'flac', 'mp3', 'opus', 'ogg', 'aac'])('is a file in %s', async (format) => {
    const audio = await decodeAudio(await shared.hear({ input: '😀', response_format: format }));
    expect(audio.samples.length / audio.sampleRate).toBeGreaterThanOrEqual(silence - 0.05);
    expect(audio.samples.length / audio.sampleRate).toBeLessThan(silence + 0.15);
    expect(audio.samples.every((sample) => Math.abs(sample) < 1e-3)).toBe(true);
  });

  it.each(['public', 'native'])('has the %s events', async (events) => {
    const body = { input: '...', response_format: 'pcm', stream_format: 'sse' };
    const text = await (await server.post(`/v1/audio/speech?events=${events}`, body)).text();
    expect(text).toMatch(/"(?:audio|delta)":"[A/=]{1000,}"/);
    expect(text.trimEnd()).toMatch(/"(?:speech\.audio\.done|audio\.completed)"[^\n]*$/);
  });

  it('is silence on every other route', async () => {
    const played: number[] = [];
    const write = async (samples: Float32Array) => void played.push(samples.length);
    await server.start({ openPlayer: async () => ({ ...silentPlayer, write }) });
    const samples = server.post('/v1/audio/speech/stream', { input: '😀' });
    expect((await bytesOf(samples)).length).toBe(16_000 * silence * 2);
    const form = server.fetch('/tts?input=...&response_format=pcm');
    expect((await bytesOf(form)).length).toBe(16_000 * silence * 2);
    const playback = await server.post('/v1/audio/speech/playback', { input: '😀' });
    expect(await playback.json()).toMatchObject({ status: 'success', chunks_played: 1, duration_seconds: silence });
    expect(played).toEqual([16_000 * silence]);
    expect(server.backend.calls).toEqual([]);
  });

  it('does not wait for the engine', async () => {
    await server.start({ slots: 1, maxWaiting: 0 });
    const { end } = await server.occupy();
    expect((await server.speak({ input: 'hello' })).status).toBe(503);
    const quiet = await read(server.speak({ input: '...', response_format: 'pcm' }));
    expect([quiet.status, quiet.headers.get('x-job-id')]).toEqual([200, null]);
    await end();
  });

  it('is refused with instructions that the model cannot follow, by a strict server', async () => {
    await server.start({ settings: { strictness: 'strict' } });
    expect((await server.speak({ input: '...', instructions: 'slowly' })).status).toBe(400);
  });

  it('may follow a style', async () => {
    await server.start({ backend: { info: { architecture: 'voxcpm2' } } });
    await server.hear({ input: '(calm) 😀', response_format: 'pcm' });
    expect(server.backend.calls).toEqual([]);
  });
});
