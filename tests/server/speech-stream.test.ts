/** The WebSocket `/v1/audio/speech/stream`: the protocol of vLLM-Omni, and the limits of requests. */
import { describe, expect, it } from '@jest/globals';
import { digestOf, findAmong } from '../../src/server/http/api-keys.ts';
import { eventually } from '../support/eventually.ts';
import { bearer } from './start-server.ts';
import type { Event, StreamClient } from './stream-client.ts';
import { freshServer } from './test-server.ts';

/** Not silent, so that nothing is repeated. */
const server = freshServer({ backend: { firstLevel: 0.1, stopAt: 60 } });
const typesOf = (events: readonly Event[]): readonly string[] => events.map(({ type }) => type);
/** Waits until the server has read all messages so far, as it has when it refuses another one. */
async function roundTrip(client: StreamClient): Promise<void> {
  client.send('nothing');
  await client.until('error');
}
/** At the model's rate: what a resampler holds back is longer than the speech of the fake backend. */
const pcm = { response_format: 'pcm', stream_audio: true, sample_rate: 16_000 };
const live = { ...pcm, split_granularity: 'sentence' };
describe('the protocol', () => {
  it('speaks an utterance as one file by default, and the next one over the same connection', async () => {
    const config = { speed: 1, task_type: 'CustomVoice', language: 'Auto', max_new_tokens: 2048 };
    await using client = await server.stream({ config });
    for (const word of ['Hello ', 'there. ', 'How are you?']) client.send('input.text', { text: word });
    await roundTrip(client);
    expect(server.backend.calls).toHaveLength(0);
    client.send('input.done');
    const events = await client.until('session.done');
    expect(events).toEqual([
      {
        type: 'audio.start',
        utterance_index: 0,
        sentence_index: 0,
        sentence_text: 'Hello there. How are you?',
        format: 'wav',
        job_id: expect.any(Number),
      },
      { type: 'bytes', length: expect.any(Number), data: expect.anything() },
      { type: 'audio.done', utterance_index: 0, sentence_index: 0, total_bytes: events[1]?.length, error: false },
      {
        type: 'session.done',
        utterance_index: 0,
        total_sentences: 1,
        warnings: ['unknown fields "task_type", "max_new_tokens" are ignored'],
      },
    ]);
    const file = events[1]?.data as Buffer;
    expect(file.subarray(0, 4).toString('latin1')).toBe('RIFF');
    expect(file.readUInt32LE(4)).toBe(file.length - 8);
    client.say('Again.');
    const next = await client.until('session.done');
    expect(typesOf(next)).toEqual(['audio.start', 'bytes', 'audio.done', 'session.done']);
    expect(next.at(-1)).toMatchObject({ utterance_index: 1, total_sentences: 1 });
    client.send('session.close');
    expect(await client.closed).toEqual({ code: 1000, reason: '' });
  });

  it('answers a commit when all text before it is spoken', async () => {
    await using client = await server.stream({ config: live });
    const steps = ['Hello there. How are you?', '', 'Again.', '', ''];
    for (const text of steps) client.send(text === '' ? 'input.commit' : 'input.text', text === '' ? {} : { text });
    client.send('input.done');
    const events = await client.until('session.done');
    const committed = events.filter(({ type }) => type === 'input.committed');
    expect(committed).toMatchObject([
      { segment_index: 0, segment_sentences: 1, total_sentences: 1 },
      { segment_index: 1, segment_sentences: 1, total_sentences: 2 },
      { segment_index: 2, segment_sentences: 0, total_sentences: 2 },
    ]);
    const order = typesOf(events).filter((type) => type === 'audio.done' || type === 'input.committed');
    expect(order).toEqual(['audio.done', 'input.committed', 'audio.done', 'input.committed', 'input.committed']);
    expect(events.at(-1)).toMatchObject({ type: 'session.done', total_sentences: 0 });
  });

  it('streams the samples of one unit while its text is written at the level of tokens', async () => {
    const config = { response_format: 'pcm', sample_rate: 16_000, streaming_mode: 'token_level' };
    await using client = await server.stream({ config });
    client.send('input.text', { text: 'Hello there. How are ' });
    const first = await client.until('bytes');
    expect(first[0]).toMatchObject({ type: 'audio.start', format: 'pcm', sample_rate: 16_000, sentence_index: 0 });
    for (const text of ['you? I am ', 'fine, ', 'thank you.']) client.send('input.text', { text });
    client.send('input.done');
    const events = [...first, ...(await client.until('session.done'))];
    expect(server.backend.texts.length).toBeGreaterThan(1);
    expect(typesOf(events).filter((type) => type !== 'bytes')).toEqual(['audio.start', 'audio.done', 'session.done']);
    const bytes = events.reduce((sum, { type, length }) => sum + (type === 'bytes' ? Number(length) : 0), 0);
    expect(events.at(-2)).toMatchObject({ total_bytes: bytes, error: false });
    expect(events.at(-1)).toMatchObject({ total_sentences: 1 });
    expect(events.at(-1)).not.toHaveProperty('warnings');
  });

  it.each([
    [{ response_format: 'wav' }, 'stream_audio needs the response_format "pcm", got "wav"'],
    [{ stream_audio: false }, 'streaming_mode "token_level" streams audio: stream_audio must be true'],
    [{ split_granularity: 'sentence' }, 'streaming_mode "token_level" and split_granularity cannot be combined'],
  ])('refuses token_level with %j', async (fields, message) => {
    await using client = await server.stream({ config: { streaming_mode: 'token_level', ...fields } });
    expect((await client.last('error')).message).toContain(message);
  });

  it('streams samples', async () => {
    await using client = await server.stream({ config: pcm });
    client.say('Hello there.');
    const events = await client.until('session.done');
    expect(events[0]).toMatchObject({ type: 'audio.start', format: 'pcm', sample_rate: 16_000, channels: 1 });
    expect(events.filter(({ type }) => type === 'bytes').length).toBeGreaterThan(5);
    expect(events.at(-2)).toMatchObject({ type: 'audio.done', total_bytes: client.bytes(), error: false });
    expect(client.bytes()).toBe(61 * 4 * 2);
  });

  it('speaks sentences while the next ones are being written', async () => {
    await using client = await server.stream({ config: live });
    client.send('input.text', { text: 'The first sentence is here. The sec' });
    const first = await client.until('audio.start');
    expect(first).toMatchObject([{ sentence_index: 0, sentence_text: 'The first sentence is here.' }]);
    client.send('input.text', { text: 'ond one follows. ' });
    const second = await client.until('audio.start');
    expect(second.at(-2)).toMatchObject({ type: 'audio.done', sentence_index: 0, error: false });
    expect(second.at(-1)).toMatchObject({ sentence_index: 1, sentence_text: 'The second one follows.' });
    client.send('input.done');
    const rest = await client.until('session.done');
    expect(typesOf(rest.slice(-2))).toEqual(['audio.done', 'session.done']);
    expect(rest.at(-1)).toEqual({ type: 'session.done', utterance_index: 0, total_sentences: 2 });
  });

  it('sends what a resampler has held back with the last sentence', async () => {
    const info = { patchSamples: 1_600, limits: { maxTextCharacters: 30 } };
    await server.start({ backend: { info, stopAt: 4 } });
    await using client = await server.stream({ config: { ...live, sample_rate: 24_000 } });
    client.say('The first sentence is here. The second one follows.');
    const events = await client.until('session.done');
    expect(events.filter(({ type }) => type === 'audio.start')).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ total_sentences: 2 });
  });

  it('speaks at once what is flushed', async () => {
    // Without a flush, more text is awaited for a while.
    await using other = await server.stream({ config: live });
    await using client = await server.stream({ config: live });
    for (const one of [other, client]) {
      one.send('input.text', { text: 'no end in sight' });
      await roundTrip(one);
    }
    client.send('input.flush');
    expect(await client.last('audio.start')).toMatchObject({ sentence_text: 'no end in sight' });
    expect(typesOf(other.events)).toEqual(['error']);
  });

  it('drops what is not spoken when it is canceled, and speaks on', async () => {
    await server.start({ backend: { stopAt: 400, delayMilliseconds: 5 } });
    await using client = await server.stream({ config: live });
    client.send('input.text', { text: 'A long sentence that is being spoken. And another one.' });
    await client.until('bytes');
    client.send('input.cancel');
    const events = await client.until('session.done');
    expect(events.at(-2)).toMatchObject({ type: 'audio.done', error: false, cancelled: true });
    expect(events.at(-1)).toEqual({ type: 'session.done', utterance_index: 0, total_sentences: 1, cancelled: true });
    const calls = server.backend.calls.length;
    const sessions = server.backend.opened.length;
    client.send('session.config', { response_format: 'pcm' });
    client.say('Next.');
    expect(await client.until('audio.start')).toHaveLength(1);
    // Nothing was done for what was canceled.
    const earlier = (session: number): boolean => session < sessions;
    expect(server.backend.calls.slice(calls).filter((call) => call.sessions.some(earlier))).toEqual([]);
    client.send('input.cancel');
    expect(await client.last('session.done')).toMatchObject({ utterance_index: 1, cancelled: true });
    client.send('input.cancel');
    client.send('input.done');
    const done = { type: 'session.done', total_sentences: 0 };
    expect(await client.until('session.done')).toEqual([{ ...done, utterance_index: 2, cancelled: true }]);
    expect(await client.until('session.done')).toEqual([{ ...done, utterance_index: 3 }]);
  });

  it('sends word timestamps beside the audio', async () => {
    await using client = await server.stream({ config: { ...live, word_timestamps: true } });
    client.send('input.text', { text: 'Hello there, my friend. ' });
    await client.until('audio.start');
    client.say('How are you?');
    await client.until('session.done');
    const { events } = client;
    expect(client.bytes()).toBe(0);
    expect(events[0]).toMatchObject({ type: 'audio.start', word_timestamps: true });
    const chunksOf = (index: number) =>
      events.filter(({ type, sentence_index }) => type === 'audio.chunk' && sentence_index === index);
    const wordsOf = (chunk?: Event) =>
      chunk?.timestamps as readonly { word: string; start_ms: number; end_ms: number }[];
    const chunks = chunksOf(0);
    expect(chunks.map(({ chunk_id }) => chunk_id)).toEqual(chunks.map((_, index) => index));
    expect(chunks.at(0)).toMatchObject({ timestamps: null, channels: 1, sample_rate: 16_000 });
    const last = chunks.at(-1) as Event;
    expect(last.audio_b64).toBe('');
    expect(wordsOf(last).map(({ word }) => word)).toEqual(['Hello', 'there,', 'my', 'friend.']);
    const words = wordsOf(chunksOf(1).at(-1));
    expect(words.map(({ word }) => word)).toEqual(['How', 'are', 'you?']);
    // After the pause between sentences.
    expect(words[0]?.start_ms).toBeLessThan(500);
  });
});

describe('refusals', () => {
  it.each([
    ['a text', { type: 'input.text', text: 'a' }, /^the first message must be session\.config, got "input\.text"/],
    ['a wrong value', { speed: 'fast' }, /^speed must be/],
    ['an unknown voice', { voice: 'nobody' }, /^unknown voice "nobody"/],
    ['an unknown model', { model: 'other' }, /^unknown model "other"/],
    ['a streamed file', { stream_audio: true }, /^stream_audio needs the response_format "pcm", got "wav"/],
  ])('closes the connection after %s instead of a session.config', async (_, message, expected) => {
    await server.start({ modelMatch: 'exact' });
    await using client = await server.stream({ config: message });
    expect(await client.last('error')).toMatchObject({ message: expect.stringMatching(expected) });
    expect((await client.closed).code).toBe(1008);
  });

  it('continues after messages that make no sense', async () => {
    await using client = await server.stream({ config: pcm });
    const refusal = async () => (await client.last('error')).message;
    const unknown = ['{"type":"input.audio"}', '{"type":"toString"}', '{"type":"input.text","text":7}'];
    for (const message of ['{', '[]', ...unknown]) {
      client.socket.send(message);
      expect(await refusal()).toEqual(expect.any(String));
    }
    client.send('input.text', { text: 'a' });
    client.send('session.config', pcm);
    expect(await refusal()).toMatch(/in progress/);
    for (const [length, message] of [
      [200_000, /^this message was dropped: it has 2\d+ characters/],
      [65_536, /^this text was dropped: with it, 65537 characters .* the limit is 65536; send input\.done, wait/],
      [65_537, /^this text was dropped: it has 65537 .*; send it in/],
    ] as const) {
      client.send('input.text', { text: 'b'.repeat(length) });
      expect(await refusal()).toMatch(message);
    }
    client.send('input.done');
    expect(await client.last('session.done')).toMatchObject({ total_sentences: 1 });
  });

  it('keeps the settings after a session.config with an unknown voice, before any text', async () => {
    await using client = await server.stream({ config: pcm });
    client.send('session.config', { ...pcm, speaker: 'Vivian' });
    const message = expect.stringMatching(/Vivian/);
    expect(await client.until('error')).toEqual([{ type: 'error', code: 'voice_not_found', message, param: 'voice' }]);
    client.say('Hello.');
    expect(await client.last('session.done')).toMatchObject({ total_sentences: 1 });
  });

  it('other paths have no sockets', async () => {
    await expect(server.stream({ path: '/v1/audio/speech' })).rejects.toThrow('405');
    await expect(server.stream({ path: '/nothing' })).rejects.toThrow('404');
  });
});

describe('access', () => {
  it('needs the API key of the server, which the log names', async () => {
    await server.start({ settings: { apiKey: 'secret' } });
    await expect(server.stream()).rejects.toThrow('401');
    await expect(server.stream(bearer('wrong'))).rejects.toThrow('401');
    await using client = await server.stream({ config: pcm, ...bearer('secret') });
    client.say('Hello.');
    await client.until('session.done');
    client.send('session.close');
    await client.closed;
    await eventually(() => server.logged('"statusCode":101').length > 0, 'the session is logged');
    const line = JSON.parse(server.logged('"statusCode":101')[0] as string);
    expect(line).toMatchObject({ key: 'test', req: { path: '/v1/audio/speech/stream' } });
    expect(server.log.join('')).not.toContain('Hello');
    const metrics = await server.text('/metrics', bearer('secret'));
    expect(metrics).toContain('route="/v1/audio/speech/stream",status="101"');
    expect(metrics).toMatch(/svc_first_audio_seconds_count 1/);
  });

  it.each([
    ['a page of another site', { Origin: 'http://evil.example' }],
    ['another host name', { Host: 'evil.example' }],
  ])('refuses %s without an API key', async (_, headers) => {
    await expect(server.stream({ headers })).rejects.toThrow('403');
    await using client = await server.stream({ headers: { Origin: server.url } });
    expect(client.socket.readyState).toBe(client.socket.OPEN);
  });

  it('looks its key up again for each utterance', async () => {
    const anna = { name: 'anna', digest: digestOf('secret') };
    let find = findAmong([anna]);
    await server.start({ settings: { findKey: (sent) => find(sent) } });
    await using client = await server.stream({ config: { response_format: 'pcm' }, ...bearer('secret') });
    const speak = (): void => client.say('Hello.');
    speak();
    await client.until('session.done');
    find = findAmong([{ ...anna, rateLimit: 1 }]);
    speak();
    speak();
    expect(await client.last('error')).toMatchObject({ code: 'rate_limit_exceeded' });
    await client.until('session.done');
    find = findAmong([{ name: 'anna', digest: digestOf('another') }]);
    speak();
    expect(await client.last('error')).toMatchObject({ message: 'this API key was revoked' });
    expect(await client.closed).toEqual({ code: 1008, reason: 'this API key was revoked' });
  });

  it('a key may have a quarter of all connections, or as many as it may use at once', async () => {
    await server.start({ settings: { keys: { anna: {}, ben: { concurrencyLimit: 3 } } }, limits: { sessions: 8 } });
    for (const [name, most] of Object.entries({ anna: 2, ben: 3 })) {
      for (let count = 0; count < most; count += 1) await server.stream(bearer(name));
      await expect(server.stream(bearer(name))).rejects.toThrow('429');
    }
  });

  it('counts each utterance for the limits of its key', async () => {
    await server.start({ settings: { keys: { k: { rateLimit: 2, concurrencyLimit: 1 } } } });
    await using client = await server.stream({ config: pcm, ...bearer('k') });
    await using other = await server.stream({ config: pcm, ...bearer('k') });
    const release = server.backend.hold();
    for (const one of [client, other]) {
      one.say('Hello.');
      if (one === client) await eventually(() => server.backend.calls.length > 0, 'the first one speaks');
    }
    const message = expect.stringMatching(/1 request at once/);
    expect(await other.last('error')).toMatchObject({ code: 'rate_limit_exceeded', message });
    release();
    await client.until('session.done');
    const again = async () => {
      client.say('Hello.');
      return (await client.until('session.done'))[0];
    };
    // The one that was refused does not count.
    expect(await again()).toMatchObject({ type: 'audio.start' });
    expect(await again()).toMatchObject({ type: 'error', message: expect.stringMatching(/2 requests per minute/) });
  });
});
