/** Connections of streamed speech that idle, misbehave or outlive the server. */
import { describe, expect, it } from '@jest/globals';
import { yieldToEventLoop } from '../../src/event-loop.ts';
import { eventually } from '../support/eventually.ts';
import { heldBytes } from '../support/held-bytes.ts';
import { rawSockets } from './raw-sockets.ts';
import type { StreamClient } from './stream-client.ts';
import { freshServer } from './test-server.ts';

const server = freshServer({ backend: { firstLevel: 0.1, stopAt: 60 } });
const connect = rawSockets();

const pcm = { response_format: 'pcm', stream_audio: true, sample_rate: 16_000 };
const live = { ...pcm, split_granularity: 'sentence' };

/** Whether one connection is over. */
const isOver = (): boolean => server.logged('"statusCode":101').length === 1;

async function openLong(): Promise<StreamClient> {
  const client = await server.stream({ config: live });
  client.send('input.text', { text: 'The first sentence is here. ' });
  return client;
}

describe('slots', () => {
  it('are not held by writers that pause', async () => {
    await server.start({ slots: 1 });
    const clients = await Promise.all(Array.from({ length: 4 }, openLong));
    for (const client of clients) await client.until('bytes');
    const body = { input: 'Another request.', response_format: 'pcm' };
    expect((await server.hear(body)).length).toBeGreaterThan(0);
    for (const client of clients) client.say('The second one follows.');
    for (const client of clients) {
      expect(await client.last('session.done')).toMatchObject({ total_sentences: 2 });
      client.socket.terminate();
    }
  });

  it('are free again after a client disconnects', async () => {
    await server.start({ slots: 1, backend: { stopAt: 5_000, delayMilliseconds: 2 } });
    const client = await openLong();
    await client.until('bytes');
    client.socket.terminate();
    await eventually(() => server.backend.opened[0]?.closed === true, 'the session of the engine is closed');
    await eventually(isOver, 'the connection is over');
  });
});

describe('the end', () => {
  it('comes when no settings arrive, or no message for long', async () => {
    await server.start({ limits: { sessionStartMilliseconds: 300, sessionIdleMilliseconds: 200 } });
    await using silent = await server.stream();
    expect((await silent.last('error')).message).toMatch(/^no session\.config received in time/);
    expect((await silent.closed).code).toBe(1008);
    await using idle = await openLong();
    expect((await idle.last('error')).message).toMatch(/^no message received in time/);
    expect((await idle.closed).code).toBe(1008);
  });

  it('comes for an utterance whose text pauses for long; the next text begins another one', async () => {
    await server.start({ limits: { textPauseMilliseconds: 100 } });
    await using client = await server.stream({ config: live });
    client.send('input.text', { text: 'Hello there. And' });
    const life = setInterval(() => client.send('input.text', { text: '' }), 20);
    expect(await client.last('session.done')).toMatchObject({ utterance_index: 0 });
    clearInterval(life);
    client.say('Hello again.');
    expect(await client.last('session.done')).toMatchObject({ utterance_index: 1, total_sentences: 1 });
  });

  it('is not put off by messages without content', async () => {
    await server.start({ limits: { sessionIdleMilliseconds: 200 } });
    await using client = await server.stream({ config: live });
    const life = setInterval(() => {
      client.send('input.text', { text: '' });
      client.send('input.flush');
    }, 20);
    expect((await client.closed).code).toBe(1008);
    clearInterval(life);
  });

  it('comes at once for idle connections when the server shuts down, and after the speech of others', async () => {
    await server.start({ backend: { delayMilliseconds: 5 } });
    const idle = await server.stream();
    const busy = await server.stream({ config: pcm });
    busy.say('Hello there.');
    await busy.until('bytes');
    const closing = server.close(10_000);
    expect(await idle.closed).toEqual({ code: 1001, reason: 'the server is shutting down' });
    expect((await busy.until('session.done')).at(-2)).toMatchObject({ type: 'audio.done', error: false });
    expect((await busy.closed).code).toBe(1001);
    await closing;
  });

  it('comes with an error for speech that is not over in time', async () => {
    await server.start({ backend: { stopAt: 5_000, delayMilliseconds: 5 } });
    const client = await openLong();
    await client.until('bytes');
    const closing = server.close(50);
    const events = await client.until('session.done');
    expect(events.find(({ type }) => type === 'error')).toMatchObject({
      message: 'the server is shutting down; retry later',
      partial_audio: true,
      action: 'discard',
    });
    expect((await client.closed).code).toBe(1001);
    await closing;
  });

  it.each([
    ['samples', pcm],
    ['a file', { response_format: 'wav' }],
  ])('comes a second after that for clients that don’t read %s', async (_, config) => {
    const never = 1e9;
    await server.start({
      slots: 1,
      limits: { pauseMilliseconds: 20, stallMilliseconds: never, turnSeconds: never, newcomerTurnSeconds: never },
      backend: { info: { patchSamples: 160_000 }, stopAt: 20 },
    });
    const client = await server.stream({ config });
    client.socket.pause();
    client.say('Hello there.');
    await eventually(() => server.backend.opened.length === 1, 'the speech begins');
    // Has a slot once the client has left audio unread, or all of it was made.
    await server.hear({ input: 'Another request.', response_format: 'pcm', max_length: 1 });
    await server.close(50);
    client.socket.terminate();
  });

  it('a cancel request ends the utterance, not the connection', async () => {
    await server.start({ backend: { stopAt: 5_000, delayMilliseconds: 5 } });
    await using client = await openLong();
    const { job_id } = await client.last('audio.start');
    await server.post('/v1/audio/speech/cancel', { job_id });
    const events = await client.until('audio.done');
    expect(events.find(({ type }) => type === 'error')).toMatchObject({ message: 'canceled by a cancel request' });
    expect(events.at(-1)).toMatchObject({ error: true });
    client.say('The rest of it.');
    expect(await client.until('session.done')).toEqual([
      { type: 'session.done', utterance_index: 0, total_sentences: 1 },
    ]);
  });
});

describe('hostile clients', () => {
  /** A frame with a mask of zeros. */
  const frame = (opcode: number, payload: Buffer): Buffer =>
    Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
  const raw = (client: StreamClient, bytes: Buffer): unknown =>
    (client.socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket.write(bytes);

  it.each([
    ['bytes', 1003, (client: StreamClient) => client.socket.send(Buffer.from([1, 2, 3]))],
    ['text that is not UTF-8', 1007, (client: StreamClient) => raw(client, frame(1, Buffer.from([0xff, 0xfe])))],
    ['an unknown kind of frame', 1002, (client: StreamClient) => raw(client, frame(3, Buffer.from('a')))],
    ['a message that is too long', 1009, (client: StreamClient) => client.socket.send('a'.repeat(2 * 1024 * 1024))],
  ])('%s end the connection with %d', async (_, code, attack) => {
    await using client = await server.stream({ config: pcm });
    attack(client);
    expect((await client.closed).code).toBe(code);
    await eventually(isOver, 'the connection is over');
  });

  it('clients that send without reading are disconnected', async () => {
    const client = await server.stream({ config: pcm });
    client.socket.pause();
    const payload = Buffer.alloc(125);
    while (!isOver()) {
      for (let ping = 0; ping < 100; ping += 1) client.socket.ping(payload, true, () => undefined);
      await yieldToEventLoop();
    }
    client.socket.terminate();
  });

  it('clients that don’t read their audio are disconnected', async () => {
    const limits = { pauseMilliseconds: 20, stallMilliseconds: 100 };
    await server.start({ limits, backend: { info: { patchSamples: 160_000 }, stopAt: 400 } });
    const client = await server.stream({ config: pcm });
    client.socket.pause();
    client.say('Hello there.');
    await eventually(isOver, 'the connection is over');
    expect(server.backend.opened[0]?.closed).toBe(true);
    client.socket.terminate();
  });

  it('clients that answer no pings are disconnected', async () => {
    await server.start({ limits: { heartbeatMilliseconds: 250 } });
    await using dead = await server.stream({ autoPong: false });
    await using alive = await server.stream();
    let pings = 0;
    alive.socket.on('ping', () => {
      pings += 1;
    });
    await dead.closed;
    await eventually(() => pings >= 3, 'three pings');
    expect(alive.socket.readyState).toBe(alive.socket.OPEN);
  });

  it.each([
    ['empty utterances', 0],
    ['utterances of one letter', 1],
  ])('more %s than may wait are refused', async (_, length) => {
    await server.start({ backend: { stopAt: 5_000, delayMilliseconds: 2 } });
    await using client = await server.stream({ config: pcm });
    for (let count = 0; count < 65; count += 1) {
      client.send('input.text', { text: count === 0 ? 'Hello there.' : 'a'.repeat(length) });
      if (count < 64) client.send('input.done');
    }
    if (length === 0) client.send('input.done');
    const message = '64 utterances wait to be spoken; wait for session.done';
    expect(await client.last('error')).toMatchObject({ message });
    client.send('input.cancel');
    for (let count = 0; count < 64; count += 1) await client.until('session.done');
    client.send('input.text', { text: 'a'.repeat(65_536) });
    client.send('input.cancel');
    expect((await client.until('session.done')).map(({ type }) => type)).toEqual(['session.done']);
  });

  it('long tokens take no memory', async () => {
    await using client = await server.stream({ config: live });
    const refuse = async (): Promise<void> => {
      client.send('input.text', { text: 'a'.repeat(1_000_000) });
      await client.until('error');
    };
    await refuse();
    const before = heldBytes();
    for (let count = 0; count < 10; count += 1) await refuse();
    expect(heldBytes() - before).toBeLessThan(3e6);
  });

  it('more connections than the limit are refused, and incomplete handshakes', async () => {
    await server.start({ limits: { sessions: 1 } });
    const first = await server.stream();
    await expect(server.stream()).rejects.toThrow('503');
    first.socket.terminate();
    await eventually(isOver, 'the connection is over');
    const headers = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' };
    const answer = await answerTo('GET /v1/audio/speech/stream', headers);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*Sec-WebSocket-Key/);
  });
});

it('a request for an upgrade to another protocol ends its connection, on which listeners would pile up', async () => {
  const line = 'GET /health';
  const again = `${line} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  const answer = await answerTo(line, { Connection: 'Upgrade', Upgrade: 'foo' }, again);
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close\r\n/);
  expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
});

it('requests for an upgrade to another protocol are served as if they had not asked', async () => {
  const body = JSON.stringify({ input: 'Hello.', response_format: 'pcm', sample_rate: 16_000 });
  const headers = {
    Connection: 'Upgrade, HTTP2-Settings',
    Upgrade: 'h2c',
    'HTTP2-Settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
    'Content-Length': body.length,
  };
  const answer = await answerTo('POST /v1/audio/speech', headers, body);
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer).toContain('Content-Type: audio/pcm');
});

/** Sends a request as it is, and reads its answer until nothing more comes. */
async function answerTo(line: string, headers: Readonly<Record<string, string | number>>, body = ''): Promise<string> {
  const { port } = await server.started();
  const socket = await connect(port);
  const lines = Object.entries({ Host: `127.0.0.1:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.write(`${line} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
  });
  await eventually(() => socket.closed || answer.endsWith('0\r\n\r\n'), 'an answer');
  return answer;
}
