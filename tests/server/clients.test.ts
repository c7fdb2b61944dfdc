/** The openai package and plain HTTP clients with the demo model. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { decodeAudio } from '../../src/audio/decode/read-audio.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { sharedServer } from './test-server.ts';

const server = sharedServer(async () => ({
  engine: await createEngine({ backend: 'cpu', threads: 1, maxBatch: 4 }),
  ...{ settings: { apiKey: 'sk-test', hosts: 'any' }, maxWaiting: 1, slots: 4 },
}));
let client: OpenAI;
beforeAll(() => {
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'sk-test', maxRetries: 0 });
});

const speech = { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'Hello there.' } as const;

describe('the openai package', () => {
  it.each(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const)('returns %s', async (format) => {
    const response = await client.audio.speech.create({ ...speech, response_format: format, speed: 1 });
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (format === 'pcm') return expect(bytes.length).toBeGreaterThan(10_000);
    const { samples, sampleRate } = await decodeAudio(bytes);
    expect(samples.length / sampleRate).toBeGreaterThan(0.3);
    expect(samples.some((sample) => Math.abs(sample) > 0.05)).toBe(true);
  });

  it('streams bytes', async () => {
    const response = await client.audio.speech.create({ ...speech, response_format: 'pcm' });
    let parts = 0;
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) parts += part.length > 0 ? 1 : 0;
    expect(parts).toBeGreaterThan(2);
  });

  it('streams events', async () => {
    const response = await client.audio.speech.create({ ...speech, response_format: 'pcm', stream_format: 'sse' });
    const text = await response.text();
    const events = text.match(/^data: .*$/gm)?.map((line) => JSON.parse(line.slice(6)) as { type: string });
    expect(events?.[0]?.type).toBe('speech.audio.delta');
    expect(events?.at(-1)?.type).toBe('speech.audio.done');
  });

  it('understands errors', async () => {
    const stranger = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'x', maxRetries: 0 });
    const unauthorized = { status: 401, code: 'invalid_api_key', type: 'authentication_error' };
    await expect(stranger.models.list()).rejects.toMatchObject(unauthorized);
    const speak = (fields: object) => client.audio.speech.create({ ...speech, ...fields });
    const unknown = { status: 404, code: 'voice_not_found', type: 'invalid_request_error' };
    await expect(speak({ voice: 'nobody' })).rejects.toMatchObject(unknown);
    const message = expect.stringContaining('input must be a string with at least one visible character');
    await expect(speak({ input: '' })).rejects.toMatchObject({ status: 400, code: 'bad_request', message });
  });

  it('lists the model', async () => {
    const models = [];
    for await (const model of client.models.list()) models.push(model.id);
    expect(models).toEqual(['fake']);
    expect((await client.models.retrieve('fake')).owned_by).toBe('svc');
  });
});

describe('the demo model over HTTP', () => {
  const headers = { Authorization: 'Bearer sk-test' };

  it('returns the same speech for a seed: streamed, in parts, alone and concurrently', async () => {
    const body = { input: 'Hello there, my friend.', response_format: 'pcm', seed: 7 };
    const speak = (extra: object = {}) => server.hear({ ...body, ...extra }, { headers });
    const alone = await speak();
    expect(alone.length).toBeGreaterThan(10_000);
    expect((await speak()).equals(alone)).toBe(true);
    const [first, second] = await Promise.all([speak(), speak({ seed: 8 })]);
    expect(first.length).toBe(alone.length);
    expect(second.equals(alone)).toBe(false);
  });

  it('adds a voice and uses it', async () => {
    const recording = await server.hear({ input: 'Hello there.', response_format: 'flac', seed: 3 }, { headers });
    const voice = { id: 'mine', text: 'Hello there.', audio: recording };
    const added = await server.send('/v1/voices', voice, { headers });
    expect(added.status).toBe(201);
    expect(await added.json()).toMatchObject({ id: 'mine', patch_size: 2, sample_rate: 16_000 });
    const spoken = await server.hear({ input: 'Good morning.', voice: 'mine', response_format: 'wav' }, { headers });
    const { samples } = await decodeAudio(spoken);
    expect(samples.length).toBeGreaterThan(3_000);
  });
});
