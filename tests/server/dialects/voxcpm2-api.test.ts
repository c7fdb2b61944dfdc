/** Requests as the README and the desktop client of `voxcpm2-api` (PyPI) send them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { bytesOf, wavOf } from '../start-server.ts';
import { freshServer } from '../test-server.ts';

const wav = wavOf(0.1);
const base64 = wav.toString('base64');

const server = freshServer({
  backend: { firstLevel: 0.1, info: { architecture: 'voxcpm2', inputPatchSamples: 640 } },
  voiceFiles: (folder) => writeFile(join(folder, 'prompt.wav'), wav),
});

const speak = (body: object) => server.post('/v1/speech', body);
const positions = (): number => server.backend.audio.at(-1) ?? 0;

describe('POST /v1/speech', () => {
  it('sends a complete WAV file, or an object with it', async () => {
    const response = await speak({ text: 'hello', language: 'en', max_len: 4096 });
    const file = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('Content-Type')).toBe('audio/wav');
    expect(response.headers.get('X-VoxCPM-Sample-Rate')).toBe('16000');
    expect(response.headers.get('Warning')).toBeNull();
    expect(file.readUInt32LE(4)).toBe(file.length - 8);
    const answer = await speak({ text: 'hello', response_format: 'base64', language: 'de' });
    const { audio_base64, ...rest } = (await answer.json()) as { audio_base64: string };
    expect(rest).toEqual({ backend: 'svc', device: expect.any(String), sample_rate: 16_000, language: 'de' });
    const same = Buffer.from(audio_base64, 'base64');
    expect([same.length, same.subarray(0, 4).toString()]).toEqual([file.length, 'RIFF']);
  });

  it('continues one recording in the timbre of another', async () => {
    const heard = async (body: object) => {
      await bytesOf(speak({ text: 'hello', ...body }));
      return [positions(), server.backend.texts.at(-1)] as const;
    };
    const [reference, text] = await heard({ reference_audio_base64: base64 });
    expect(text).toBe('hello');
    const [prompt, prompted] = await heard({ prompt_audio_base64: base64, prompt_text: 'said.' });
    expect(prompted).toBe('said.hello');
    expect(await heard({ prompt_audio_path: 'prompt.wav', prompt_text: 'said.' })).toEqual([prompt, prompted]);
    const both = { prompt_audio_base64: base64, prompt_text: 'said.', reference_audio_base64: base64 };
    expect(await heard(both)).toEqual([prompt + reference, prompted]);
    expect(reference).toBeGreaterThan(0);
  });
});

describe('the WebSocket /v1/stream', () => {
  const ask = async (body: object) => {
    await using client = await server.stream({ path: '/v1/stream' });
    client.socket.send(JSON.stringify(body));
    const closed = await client.closed;
    return { events: client.events, closed };
  };

  it.each([
    ['pcm16', 0],
    ['wav', 44],
  ])('sends chunks of %s', async (chunk_format, header) => {
    const { events, closed } = await ask({ text: 'hello', chunk_format, response_format: 'wav' });
    expect(closed.code).toBe(1000);
    const started = { type: 'session.started', backend: 'svc', model_source: 'fake', job_id: expect.any(Number) };
    expect(events[0]).toEqual(started);
    expect(events.at(-1)).toEqual({ type: 'audio.completed' });
    const chunks = events.slice(1, -1);
    expect(chunks.length).toBeGreaterThan(1);
    let samples = 0;
    for (const [index, chunk] of chunks.entries()) {
      expect(chunk).toMatchObject({ type: 'audio.chunk', sequence: index, backend: 'svc', chunk_format });
      expect(chunk.sample_rate).toBe(16_000);
      samples += (Buffer.from(String(chunk.audio_base64), 'base64').length - header) / 2;
    }
    expect(samples).toBe(((await bytesOf(speak({ text: 'hello' }))).length - 44) / 2);
  });

  it('states what is wrong with a request', async () => {
    const { events, closed } = await ask({ text: '' });
    expect(events).toEqual([{ type: 'error', error: 'validation_error', detail: expect.stringContaining('text') }]);
    expect(closed.code).toBe(1008);
    const unknown = await ask({ text: 'hello', spped: 1 });
    expect(unknown.events.at(-1)).toMatchObject({ warnings: [expect.stringContaining('"spped"')] });
  });

  it('takes one request', async () => {
    await using client = await server.stream({ path: '/v1/stream' });
    client.socket.send(JSON.stringify({ text: 'hello' }));
    client.socket.send(JSON.stringify({ text: 'hello' }));
    await client.closed;
    const detail = 'a connection takes one request; open another one';
    expect(client.events.find(({ type }) => type === 'error')).toMatchObject({ detail });
    expect(client.events.some(({ type }) => type === 'audio.completed')).toBe(true);
  });

  it('waits for a request, but not forever', async () => {
    await server.start({ limits: { sessionStartMilliseconds: 20 } });
    await using client = await server.stream({ path: '/v1/stream' });
    expect((await client.closed).code).toBe(1008);
    expect(client.events).toMatchObject([{ type: 'error', detail: expect.stringContaining('no request received') }]);
  });
});
