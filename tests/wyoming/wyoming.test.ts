import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { WyomingOptions } from '../../src/wyoming/open-wyoming.ts';
import { createRandom } from '../fuzz/random.ts';
import { mutateEvents, validEvents } from '../fuzz/wyoming.ts';
import { presets } from '../presets.ts';
import type { StartOptions } from '../server/start-server.ts';
import { freshServer } from '../server/test-server.ts';
import { eventually } from '../support/eventually.ts';
import { rounds } from '../support/rounds.ts';
import { startWyoming } from './start-wyoming.ts';
import { audioOf, type Received, typesOf, type WyomingClient } from './wyoming-client.ts';

/** Never ends by itself. */
const endless: StartOptions = { backend: { stopAt: 100_000, delayMilliseconds: 2 } };
const server = freshServer((options: StartOptions = {}, wyoming: Partial<WyomingOptions> = {}) =>
  startWyoming({ ...options, backend: { firstLevel: 0.1, ...options.backend } }, wyoming),
);
/** A client that has sent a text, of which it hears the beginning. */
async function listen(text = 'Hello.', until = 'audio-start'): Promise<WyomingClient> {
  const client = await server.connect();
  client.send('synthesize', { text });
  await client.until(until);
  return client;
}
const whole = ['audio-start', 'audio-chunk', 'audio-stop'];
const streamed = [...whole, 'synthesize-stopped'];

interface Program {
  readonly name: string;
  readonly voices: readonly { readonly name: string; readonly languages: readonly string[] }[];
}

const codeOf = (events: readonly Received[]): unknown => events.at(-1)?.data.code;
const metric = async (line: string): Promise<boolean> => (await server.text('/metrics')).includes(line);
/** Checks that the last event is an error, after which the server closes the connection. */
async function expectError(client: WyomingClient, code: string): Promise<void> {
  const events = await client.until('error');
  expect([events.length, codeOf(events)]).toEqual([1, code]);
  expect(await client.next()).toBeUndefined();
}

describe('describe', () => {
  it('lists the model with its voices, the default first', async () => {
    await using client = await server.connect();
    client.raw('{"type":"describe"}\n');
    const info = await client.next();
    expect(info?.type).toBe('info');
    const { tts, ...others } = (info as Received).data as { readonly tts: readonly Program[] };
    expect(others).toEqual({ asr: [], handle: [], intent: [], wake: [], mic: [], snd: [] });
    expect(tts).toHaveLength(1);
    expect(tts[0]).toMatchObject({ name: 'fake', installed: true, supports_synthesize_streaming: true });
    const names = tts[0]?.voices.map(({ name }) => name);
    expect(names?.[0]).toBe('default');
    const listed = await server.json<{ data: { id: string }[] }>('/v1/voices');
    for (const { id } of listed.data) expect(names).toContain(id);
    expect(tts[0]?.voices[0]?.languages).toEqual(['zh', 'en']);
  });

  it('lists the languages on the card of the model', async () => {
    await server.start({ backend: { info: { limits: { languages: ['de'] } } } });
    await using client = await server.connect();
    client.send('describe');
    const voices = ['default', ...presets].map((name) => ({ name, languages: ['de'] }));
    expect((await client.next())?.data).toMatchObject({ tts: [{ voices }] });
  });
});

describe('synthesize', () => {
  it('sends the audio that HTTP sends, and goes on with the connection', async () => {
    await using client = await server.connect();
    const body = { input: 'Hello there.', voice: 'alloy', response_format: 'pcm', sample_rate: 16_000 };
    const expected = await server.hear(body);
    for (let round = 0; round < 2; round += 1) {
      client.send('synthesize', { text: 'Hello there.', voice: { name: 'alloy', speaker: 'x' } });
      const events = await client.until('audio-stop');
      expect(typesOf(events)).toEqual(whole);
      expect(events[0]?.data).toEqual({ rate: 16_000, width: 2, channels: 1, timestamp: 0 });
      expect(audioOf(events)).toEqual(expected);
    }
    client.send('ping', { text: 'still there?' });
    expect(await client.next()).toMatchObject({ type: 'pong', data: { text: 'still there?' } });
    expect(await metric('svc_http_requests_total{method="WYOMING",route="synthesize",status="200"} 2')).toBe(true);
  });

  it('reads data in the line, and SSML', async () => {
    await using client = await server.connect();
    const text = '<speak>Hello <break time="100ms"/> there.</speak>';
    client.raw(`${JSON.stringify({ type: 'synthesize', data: { text, text_format: 'ssml', voice: {} } })}\n`);
    expect(typesOf(await client.until('audio-stop'))).toEqual(whole);
    expect(server.backend.texts.join(' ')).not.toContain('break');
  });

  it('reads the Markdown of a language model, without its reasoning', async () => {
    await using client = await server.connect();
    client.send('synthesize', { text: '<think>Never.</think>## Title\n\nSo [very](http://x.y/z) good.' });
    await client.until('audio-stop');
    expect(server.backend.texts).toEqual(['Title', expect.stringMatching(/So very good\.$/)]);
  });

  it('answers a text without words with silence', async () => {
    await using client = await server.connect();
    client.send('synthesize', { text: '😀' });
    expect(audioOf(await client.until('audio-stop'))).toEqual(Buffer.alloc(8_000));
  });

  it.each([
    ['an unknown voice', { text: 'Hello.', voice: { name: 'nobody' } }, 'voice_not_found'],
    ['a wrong voice', { text: 'Hello.', voice: { name: 5 } }, 'bad_request'],
    ['no text', { voice: { name: 'alloy' } }, 'bad_request'],
    ['a text that is too long', { text: 'word '.repeat(20_000) }, 'bad_request'],
  ])('answers %s with an error and closes the connection', async (_name, data, code) => {
    await using client = await server.connect();
    client.send('synthesize', data);
    await expectError(client, code);
  });

  it('refuses a request when the queue is full, and counts it', async () => {
    await server.start({ ...endless, slots: 1, maxWaiting: 0 });
    await using _ = await listen();
    await using client = await server.connect();
    client.send('synthesize', { text: 'Hello.' });
    expect(codeOf(await client.until('error'))).toBe('queue_full');
    expect(await metric('svc_queue_refused_total 1')).toBe(true);
  });
});

describe('a text in pieces', () => {
  it('is spoken once in the order of Home Assistant, which repeats the whole text', async () => {
    await using client = await server.connect();
    const words = ['Hello there. ', 'How are', ' you?'];
    for (let round = 0; round < 2; round += 1) {
      client.send('synthesize-start', { voice: { name: 'alloy' } });
      for (const text of words) client.send('synthesize-chunk', { text });
      client.send('synthesize', { text: words.join(''), voice: { name: 'alloy' } });
      client.send('synthesize-stop');
      expect(typesOf(await client.until('synthesize-stopped'))).toEqual(streamed);
    }
    const spoken = server.backend.texts.length;
    client.send('ping');
    expect((await client.next())?.type).toBe('pong');
    expect(server.backend.texts).toHaveLength(spoken);
    expect(await metric('route="synthesize",')).toBe(false);
    expect(await metric('{method="WYOMING",route="synthesize-start",status="200"} 2')).toBe(true);
  });

  it('is spoken while the rest is written', async () => {
    await server.start({ backend: { stopAt: 20 } });
    await using client = await server.connect();
    client.send('synthesize-start');
    client.send('synthesize-chunk', { text: 'Hello there. How are' });
    await client.until('audio-chunk');
    client.send('describe');
    await client.until('info');
    client.send('synthesize-chunk', { text: ' you?' });
    client.send('synthesize-stop');
    expect(typesOf(await client.until('synthesize-stopped')).slice(-2)).toEqual(streamed.slice(-2));
  });

  it('may be empty', async () => {
    await using client = await server.connect();
    client.send('synthesize-start');
    client.send('synthesize-stop');
    const types = typesOf(await client.until('synthesize-stopped')).filter((type) => type !== 'audio-chunk');
    expect(types).toEqual(['audio-start', 'audio-stop', 'synthesize-stopped']);
  });

  it.each([
    ['an unknown voice', { voice: { name: 'nobody' } }, 'voice_not_found'],
    ['SSML', { text_format: 'ssml' }, 'bad_request'],
  ])('fails at once with %s, and the text that follows is not spoken', async (_name, data, code) => {
    await using client = await server.connect();
    client.send('synthesize-start', data);
    client.send('synthesize-chunk', { text: 'Hello there.' });
    client.send('synthesize', { text: 'Hello there.' });
    client.send('synthesize-stop');
    await expectError(client, code);
    expect(server.backend.opened).toHaveLength(0);
  });

  it('must end before the next begins', async () => {
    await using client = await server.connect();
    client.send('synthesize-start');
    client.send('synthesize-start');
    expect(codeOf(await client.until('error'))).toBe('bad_request');
    await eventually(() => server.backend.opened.every(({ closed }) => closed), 'the sessions close');
  });

  it('has the limit of HTTP', async () => {
    await server.start({ limits: { inputCharacters: 100 } });
    await using client = await server.connect();
    client.send('synthesize-start');
    for (let count = 0; count < 30; count += 1) client.send('synthesize-chunk', { text: 'word ' });
    expect(codeOf(await client.until('error'))).toBe('bad_request');
  });
});

describe('a client that leaves', () => {
  it.each(['synthesize', 'synthesize-start'])('cancels %s within a step', async (type) => {
    await server.start({ backend: { ...endless.backend, delayMilliseconds: 100 } });
    const client = await server.connect();
    client.send(type, { text: 'Hello there.' });
    client.send('synthesize-chunk', { text: 'Hello there. And' });
    await client.until('audio-chunk');
    const [session] = server.backend.opened;
    const steps = session?.steps ?? 0;
    client.socket.end();
    await eventually(() => session?.closed === true, 'the session closes');
    // At most the one that was running.
    expect(session?.steps).toBeLessThanOrEqual(steps + 1);
    await eventually(() => metric('status="aborted"} 1'), 'the request counts as aborted');
  });

  it('leaves the queue', async () => {
    await server.start({ ...endless, slots: 1 });
    await using _ = await listen();
    const client = await server.connect();
    client.send('synthesize', { text: 'Hello.' });
    await eventually(() => metric('svc_queue_waiting 1'), 'the request waits');
    client.socket.end();
    await eventually(() => metric('svc_queue_waiting 0'), 'the request is gone');
  });

  it('is disconnected when it reads nothing', async () => {
    await server.start({ ...endless, limits: { stallMilliseconds: 200, pauseMilliseconds: 50 } });
    const client = await server.connect();
    client.socket.pause();
    client.send('synthesize', { text: 'Hello there.' });
    client.socket.removeAllListeners('data');
    client.socket.pause();
    for (let count = 0; count < 20_000; count += 1) client.send('describe');
    await eventually(() => server.backend.opened[0]?.closed !== false, 'the session closes');
    client.socket.destroy();
  });
});

describe('limits of a connection', () => {
  it('ignores unknown events and payloads', async () => {
    await using client = await server.connect();
    client.send('transcribe', { language: 'en' });
    client.send('audio-chunk', { rate: 16_000 }, Buffer.alloc(500_000));
    client.send('__proto__');
    client.send('synthesize-chunk', { text: 'outside' });
    client.send('synthesize-stop');
    client.send('ping');
    expect((await client.next())?.type).toBe('pong');
  });

  it.each([
    ['garbage', 'GET / HTTP/1.1\r\n\r\n', 'bad_request'],
    ['an endless line', 'a'.repeat(70_000), 'payload_too_large'],
    ['a huge data_length', '{"type":"synthesize","data_length":1000000000000}\n', 'payload_too_large'],
  ])('answers %s with an error', async (_name, bytes, code) => {
    await using client = await server.connect();
    client.raw(bytes);
    await expectError(client, code);
  });

  it('gives up an event that does not end, and an idle connection', async () => {
    await server.start({}, { limits: { eventMilliseconds: 100, idleMilliseconds: 300 } });
    await using slow = await server.connect();
    slow.raw('{"type":');
    expect(codeOf(await slow.until('error'))).toBe('bad_request');
    await using idle = await server.connect();
    expect(await idle.next()).toBeUndefined();
  });

  it('answers many events in order', async () => {
    const events = rounds(600, 3_000);
    await using client = await server.connect();
    for (let count = 0; count < events; count += 1) client.send('ping', { text: String(count) });
    for (let count = 0; count < events; count += 1) expect((await client.next())?.data.text).toBe(String(count));
  });

  it('serves others while a client sends events without end', async () => {
    const { wyomingPort } = await server.started();
    const socket = connect(wyomingPort, '127.0.0.1');
    socket.on('error', () => undefined);
    let answers = 0;
    socket.setEncoding('latin1').on('data', (text: string) => {
      answers += text.split('\n').length - 1;
    });
    const isOver = once(socket, 'close');
    const events = '{"type":"describe"}\n'.repeat(3_000);
    const flood = (): void => {
      while (socket.write(events));
    };
    socket.on('drain', flood);
    flood();
    await eventually(() => answers > 0, 'the flood has begun');
    const passed: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const before = answers;
      expect((await server.fetch('/health')).status).toBe(200);
      passed.push(answers - before);
    }
    socket.destroy();
    await isOver;
    // One for each turn of the event loop; thousands when events of a piece are handled in one turn.
    expect(Math.max(...passed)).toBeLessThan(200);
  });

  it('survives corrupted events', async () => {
    const random = createRandom(7);
    for (let round = 0; round < rounds(60, 200); round += 1) {
      await using client = await server.connect();
      client.raw(mutateEvents(validEvents, random).bytes);
      client.socket.end();
      while ((await client.next()) !== undefined);
    }
    await using client = await server.connect();
    client.send('ping');
    expect((await client.next())?.type).toBe('pong');
    expect(server.logged('"level":50')).toEqual([]);
    await eventually(() => server.backend.opened.every(({ closed }) => closed), 'all sessions close');
  });

  it('makes room for new connections by closing the oldest that is idle', async () => {
    await server.start(endless, { connections: 2 });
    await using busy = await listen();
    await using idle = await server.connect();
    idle.send('ping');
    await idle.next();
    await using client = await server.connect();
    client.send('ping');
    expect((await client.next())?.type).toBe('pong');
    expect(await idle.next()).toBeUndefined();
    expect((await busy.next())?.type).toBe('audio-chunk');
  });
});

describe('shutdown', () => {
  it('finishes what is spoken, ends texts where they are, and closes idle connections', async () => {
    await server.start({ backend: { stopAt: 20, delayMilliseconds: 5 } });
    await using idle = await server.connect();
    await using client = await server.connect();
    await using writer = await server.connect();
    client.send('synthesize', { text: 'Hello.' });
    writer.send('synthesize-start');
    writer.send('synthesize-chunk', { text: 'Hello there. And' });
    await client.until('audio-start');
    await writer.until('audio-start');
    const closing = server.close(5_000);
    expect(typesOf(await client.until('audio-stop')).at(-1)).toBe('audio-stop');
    expect((await writer.until('synthesize-stopped')).at(-1)?.type).toBe('synthesize-stopped');
    for (const { next } of [idle, client, writer]) expect(await next()).toBeUndefined();
    await closing;
  });

  it('cancels what takes too long', async () => {
    await server.start(endless);
    await using client = await listen();
    const closed = once(client.socket, 'close');
    await server.close(50);
    expect(codeOf(await client.until('error'))).toBe('unavailable');
    await closed;
  });
});
