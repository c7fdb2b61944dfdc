/** Text in, speech out over the WebSockets of ElevenLabs. */
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import WebSocket from 'ws';
import { digestOf, findAmong } from '../../../../src/server/http/api-keys.ts';
import { eventually } from '../../../support/eventually.ts';
import { freshServer } from '../../test-server.ts';

const server = freshServer();
interface Message {
  readonly audio?: string | null;
  readonly isFinal?: boolean | null;
  readonly contextId?: string;
  readonly alignment?: {
    readonly chars: string[];
    readonly charStartTimesMs: number[];
    charDurationsMs: number[];
  } | null;
  readonly error?: string;
  readonly message?: string;
}

interface Connection {
  readonly messages: readonly Message[];
  send(message: object): void;
  /** Code and reason of the close. */
  readonly closed: Promise<readonly [number, string]>;
  readonly socket: WebSocket;
}

async function connect(path: string, headers: Record<string, string> = {}): Promise<Connection> {
  const { port } = await server.started();
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/text-to-speech/${path}`, { headers });
  const messages: Message[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(data.toString()) as Message));
  const closed = new Promise<readonly [number, string]>((resolve) => {
    socket.on('close', (code, reason) => resolve([code, reason.toString()]));
  });
  await once(socket, 'open');
  return { messages, send: (message) => socket.send(JSON.stringify(message)), closed, socket };
}

const endless = { backend: { stopAt: undefined, delayMilliseconds: 2 } } as const;
const pcm = 'output_format=pcm_16000';

const bytesOf = (messages: readonly Message[], id?: string): number =>
  messages
    .filter(({ contextId }) => contextId === id)
    .reduce((sum, { audio }) => sum + Buffer.from(audio ?? '', 'base64').length, 0);
const charsOf = (messages: readonly Message[]): string =>
  messages.flatMap(({ alignment }) => alignment?.chars ?? []).join('');
const isFinal = (id?: string) => (messages: readonly Message[]) =>
  messages.some((message) => message.isFinal === true && message.contextId === id);
const active = async (): Promise<number> => (await server.json<{ queue_active: number }>('/health')).queue_active;

describe('a connection for one speech', () => {
  it('speaks text in pieces, says when characters are heard, and ends', async () => {
    const { send, messages, closed } = await connect(`default/stream-input?${pcm}&model_id=eleven_flash_v2_5`);
    const generation_config = { chunk_length_schedule: [50] };
    send({ text: ' ', voice_settings: { stability: 0.5, speed: 1 }, generation_config });
    for (const text of ['Hel', 'lo there. How ', 'are you?']) send({ text, try_trigger_generation: true });
    send({ text: '' });
    expect(await closed).toEqual([1000, '']);
    expect(messages.at(-1)).toEqual({ audio: null, isFinal: true });
    expect(bytesOf(messages)).toBeGreaterThan(0);
    expect(charsOf(messages)).toBe('Hello there. How are you? ');
    // The warning about the stability.
    expect(server.log.join('')).toContain('VoxCPM has no voice_settings.stability; it is ignored');
  });

  it('speaks what was flushed before the end of the text', async () => {
    await server.start({ backend: { stopAt: 400 } });
    const { send, messages, closed } = await connect(`default/stream-input?${pcm}`);
    send({ text: 'Hello', flush: true });
    await eventually(() => bytesOf(messages) > 0, 'audio');
    send({ text: 'there ' });
    send({ text: '' });
    await closed;
    expect(charsOf(messages)).toBe('Hello there ');
  });

  it('speaks each message at once in automatic mode', async () => {
    const { send, messages } = await connect(`default/stream-input?${pcm}&auto_mode=true`);
    send({ text: 'Hello' });
    await eventually(() => charsOf(messages) === 'Hello ', 'the first message is spoken');
  });

  it('ends without audio if there was no text', async () => {
    const { send, messages, closed } = await connect('default/stream-input');
    send({ text: ' ' });
    send({ text: '' });
    expect(await closed).toEqual([1000, '']);
    expect(messages).toEqual([{ audio: null, isFinal: true }]);
  });

  it('counts alignments from the last one, or from the beginning of the speech', async () => {
    await server.start({ backend: { stopAt: 400 } });
    const startsOf = async (query: string): Promise<readonly number[]> => {
      const { send, messages, closed } = await connect(`default/stream-input?${pcm}${query}&seed=1`);
      for (const text of ['One sentence. ', 'Another one. ']) send({ text, flush: true });
      send({ text: '' });
      await closed;
      const aligned = messages.flatMap(({ alignment }) => (alignment ? [alignment] : []));
      expect(aligned.length).toBeGreaterThan(1);
      let before = 0;
      return aligned.flatMap(({ charStartTimesMs, charDurationsMs }) => {
        const zero = query === '' ? before : 0;
        before = zero + (charStartTimesMs.at(-1) ?? 0) + (charDurationsMs.at(-1) ?? 0);
        return charStartTimesMs.map((time) => zero + time);
      });
    };
    const added = await startsOf('');
    expect(added).toEqual(await startsOf('&sync_alignment=true'));
    expect(added).toEqual([...added].sort((a, b) => a - b));
  });

  it('stops within a step when it is closed', async () => {
    await server.start(endless);
    const { send, messages, socket } = await connect(`default/stream-input?${pcm}`);
    send({ text: 'Hello there. ', flush: true });
    await eventually(() => messages.length > 2, 'audio');
    expect(await active()).toBe(1);
    socket.close();
    await eventually(async () => (await active()) === 0, 'the slot is free');
    const calls = server.backend.calls.length;
    await server.hear({ input: 'hello', response_format: 'pcm', max_length: 2 });
    const later = server.backend.calls.slice(calls).filter(({ sessions }) => sessions.includes(0));
    expect(later.filter(({ kind }) => kind === 'step').length).toBeLessThanOrEqual(1);
  });

  it('is closed when no text arrives', async () => {
    await server.start({ limits: { sessionIdleMilliseconds: 50 } });
    const { messages, closed } = await connect('default/stream-input?inactivity_timeout=180');
    const message = 'no text received within 0.05 s; send "" to end the text';
    expect(await closed).toEqual([1008, message]);
    expect(messages).toEqual([{ message, error: 'bad_request', code: 1008 }]);
  });

  it.each([
    ['nobody/stream-input', { text: ' ' }, 'voice_not_found', /^unknown voice "nobody"/],
    ['nobody/multi-stream-input', { text: ' ' }, 'voice_not_found', /^unknown voice "nobody"/],
    ['default/stream-input?model_id=other', { text: ' ' }, 'model_not_found', /^unknown model "other"/],
    ['nobody/stream-input', { text: 'Hello.', flush: true }, 'voice_not_found', /^unknown voice "nobody"/],
    ['default/stream-input?output_format=mp3_1', {}, 'bad_request', /^output_format must be one of /],
    ['default/stream-input', { text: 5 }, 'bad_request', /^text must be a string, got 5$/],
    ['default/stream-input?model_id=other', { text: 'a', flush: true }, 'model_not_found', /^unknown model "other"/],
  ])('is closed after an error: %s %j', async (path, first, error, expected) => {
    await server.start({ modelMatch: 'exact' });
    const { send, messages, closed } = await connect(path);
    send(first);
    const [code, reason] = await closed;
    expect(code).toBe(1008);
    expect(reason).toMatch(expected);
    expect(messages.at(-1)).toMatchObject({ error, code: 1008, message: expect.stringMatching(expected) });
  });
});

describe('a key', () => {
  const settings = { apiKey: 'secret' };

  it.each(['xi_api_key', 'xi-api-key', 'authorization'])('may be the field %s of the first message', async (field) => {
    await server.start({ settings });
    const { send, messages, closed } = await connect(`default/stream-input?${pcm}`);
    send({ text: ' ', [field]: field === 'authorization' ? 'Bearer secret' : 'secret' });
    send({ text: 'Hello.' });
    send({ text: '' });
    expect(await closed).toEqual([1000, '']);
    expect(bytesOf(messages)).toBeGreaterThan(0);
    await eventually(() => server.logged('utterance completed').length > 0, 'the log');
    expect(server.logged('utterance completed')[0]).toContain('"key":"test"');
  });

  it('is required', async () => {
    await server.start({ settings });
    for (const [problem, fields] of Object.entries({ missing: {}, incorrect: { xi_api_key: 'other' } })) {
      const { send, messages, closed } = await connect('default/multi-stream-input');
      send({ text: 'Hello.', flush: true, ...fields });
      const message = `${problem} API key; send it in the header xi-api-key or the first message`;
      expect(await closed).toEqual([1008, message]);
      expect(messages).toEqual([{ message, error: 'invalid_api_key', code: 1008 }]);
    }
    await expect(connect('default/stream-input', { 'xi-api-key': 'other' })).rejects.toThrow('401');
    const { socket } = await connect('default/stream-input', { 'xi-api-key': 'secret' });
    socket.close();
    expect(server.backend.calls).toEqual([]);
  });

  it('is checked again for each speech', async () => {
    let find = findAmong([{ name: 'anna', digest: digestOf('secret') }]);
    await server.start({ settings: { findKey: (sent) => find(sent) } });
    const { send, messages, closed } = await connect(`default/multi-stream-input?${pcm}`);
    send({ text: 'Hello. ', flush: true, context_id: 'a', xi_api_key: 'secret' });
    await eventually(() => messages.length > 0, 'speech');
    expect(messages[0]).toMatchObject({ contextId: 'a', isFinal: null });
    find = findAmong([]);
    send({ text: 'Hello. ', flush: true, context_id: 'b' });
    expect(await closed).toEqual([1008, 'this API key was revoked']);
  });

  it('has to arrive before those of too many others, which take no room of known clients', async () => {
    await server.start({ settings, limits: { sessions: 1 } });
    const oldest = await connect('default/stream-input');
    const strangers = await Promise.all(Array.from({ length: 32 }, () => connect('default/stream-input')));
    expect((await oldest.closed)[0]).toBe(1006);
    await connect(`default/stream-input?${pcm}`, { 'xi-api-key': 'secret' });
    const [late] = strangers as [Connection];
    late.send({ text: ' ', xi_api_key: 'secret' });
    expect(await late.closed).toEqual([1008, 'too many sessions at once (the limit is 1); retry later']);
  });

  it('must arrive soon', async () => {
    await server.start({ settings, limits: { sessionStartMilliseconds: 50 } });
    const { closed } = await connect('default/stream-input?inactivity_timeout=180');
    expect(await closed).toEqual([1008, expect.stringMatching(/^no text received within 0.05 s/)]);
  });
});

describe('a connection for contexts', () => {
  const open = (query = ''): Promise<Connection> => connect(`default/multi-stream-input?${pcm}${query}`);

  it('speaks several at once, each with its name', async () => {
    const { send, messages, closed } = await open();
    for (const id of ['a', 'b']) send({ text: ' ', context_id: id, voice_settings: {} });
    send({ text: 'First text. ', context_id: 'a' });
    send({ text: 'Second text. ', context_id: 'b' });
    for (const id of ['a', 'b']) {
      send({ context_id: id, flush: true });
      send({ context_id: id, close_context: true });
    }
    await eventually(() => isFinal('a')(messages) && isFinal('b')(messages), 'both are final');
    for (const [id, text] of Object.entries({ a: 'First text. ', b: 'Second text. ' })) {
      expect(bytesOf(messages, id)).toBeGreaterThan(0);
      expect(charsOf(messages.filter(({ contextId }) => contextId === id))).toBe(text);
    }
    send({ close_socket: true });
    expect(await closed).toEqual([1000, '']);
  });

  it('takes an empty text as a sign of life', async () => {
    const { send, messages, closed } = await open();
    send({ text: '' });
    send({ text: '', context_id: 'a' });
    send({ text: 'Hello.', context_id: 'a' });
    send({ text: '', context_id: 'a' });
    send({ context_id: 'a', flush: true });
    await eventually(() => charsOf(messages) === 'Hello. ', 'it is spoken');
    send({ close_socket: true });
    expect(await closed).toEqual([1000, '']);
    expect(isFinal('a')(messages)).toBe(true);
  });

  it('silences a context that is closed, within a step, and serves the next', async () => {
    await server.start(endless);
    const { send, messages } = await open();
    send({ text: 'Hello there. How are you? ', context_id: 'a' });
    await eventually(() => bytesOf(messages, 'a') > 0, 'audio');
    send({ context_id: 'a', close_context: true });
    await eventually(() => isFinal('a')(messages), 'it is final');
    expect(await active()).toBe(0);
    const bytes = bytesOf(messages, 'a');
    send({ text: 'Another one. ', context_id: 'b', flush: true });
    await eventually(() => bytesOf(messages, 'b') > 0, 'audio');
    expect(bytesOf(messages, 'a')).toBe(bytes);
  });

  it('speaks on after a flush, until the context is closed again', async () => {
    await server.start(endless);
    const { send, messages } = await open();
    send({ text: 'Hello there. ', context_id: 'a' });
    send({ context_id: 'a', flush: true });
    send({ context_id: 'a', close_context: true });
    await eventually(() => bytesOf(messages, 'a') > 100, 'audio after the first close');
    expect(isFinal('a')(messages)).toBe(false);
    send({ context_id: 'a', close_context: true });
    await eventually(() => isFinal('a')(messages), 'it is final');
    expect(await active()).toBe(0);
  });

  it('does not take the flush of each sentence for the end, in automatic mode', async () => {
    await server.start(endless);
    const { send, messages } = await open('&auto_mode=true');
    send({ text: 'Hello there. ', context_id: 'a', flush: true });
    await eventually(() => bytesOf(messages, 'a') > 0, 'audio');
    send({ context_id: 'a', close_context: true });
    await eventually(() => isFinal('a')(messages), 'it is final');
  });

  it('reports the error of one context and serves the others', async () => {
    await server.start({ slots: 1, maxWaiting: 0, backend: { stopAt: 400 } });
    const release = server.backend.hold();
    const { send, messages } = await open();
    send({ text: 'Hello. ', context_id: 'a', flush: true });
    await eventually(() => server.backend.calls.length > 0, 'a context is spoken');
    send({ text: 'Hello. ', context_id: 'b', flush: true });
    await eventually(() => isFinal('b')(messages), 'the other is refused');
    expect(messages[0]).toMatchObject({ error: 'queue_full', contextId: 'b', context_id: 'b', code: 1008 });
    release();
    await eventually(() => bytesOf(messages, 'a') > 0, 'audio');
  });

  it('has a limit of contexts and of text', async () => {
    await server.start({ limits: { inputCharacters: 20 } });
    const long = await open();
    long.send({ text: 'Hello there. '.repeat(3), context_id: 'a', flush: true });
    await eventually(() => isFinal('a')(long.messages), 'it is refused');
    expect(long.messages[0]).toMatchObject({ message: 'text is longer than 20 characters', contextId: 'a' });
    long.socket.close();
    const many = await open();
    for (let n = 0; n < 33; n += 1) many.send({ text: ' ', context_id: String(n) });
    await eventually(() => many.messages.length > 0, 'one is refused');
    const message = 'too many contexts at once (the limit is 32); close one first';
    expect(many.messages).toEqual([expect.objectContaining({ message, contextId: '32' })]);
    many.send({ text: 'Hello. ', context_id: '0', flush: true });
    await eventually(() => many.messages.length > 1, 'another speaks');
    expect(many.messages[1]).toMatchObject({ contextId: '0', isFinal: null });
  });

  it('ends a context whose text pauses for long, however many signs of life follow', async () => {
    await server.start({ limits: { textPauseMilliseconds: 100 } });
    const { send, messages } = await open();
    send({ text: ' ', context_id: 'b' });
    send({ text: 'Hello there. And', context_id: 'a' });
    const life = setInterval(() => send({ text: '', context_id: 'a', flush: true }), 20);
    await eventually(() => isFinal('a')(messages), 'the end');
    clearInterval(life);
    expect(charsOf(messages)).toBe('Hello there. And ');
    send({ text: 'Hello. ', context_id: 'b', flush: true });
    await eventually(() => messages.at(-1)?.contextId === 'b', 'the one that had no text speaks');
  });

  it('finishes its contexts when the server shuts down', async () => {
    await server.start({ backend: { stopAt: 50, delayMilliseconds: 2 } });
    const { send, messages, closed } = await open();
    const idle = await open();
    send({ text: 'Hello there. ', context_id: 'a' });
    send({ context_id: 'a', flush: true });
    send({ context_id: 'a', close_context: true });
    await eventually(() => bytesOf(messages, 'a') > 0, 'audio');
    const stopped = server.close(5_000);
    expect(await idle.closed).toEqual([1001, 'the server is shutting down']);
    expect(await closed).toEqual([1001, 'the server is shutting down']);
    expect(isFinal('a')(messages)).toBe(true);
    await stopped;
  });
});
