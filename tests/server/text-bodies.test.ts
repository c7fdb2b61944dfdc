/** `POST /v1/audio/speech` with a body of text that is spoken while it arrives. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { errorOf, type StartOptions, startServer, type TestServer } from './start-server.ts';

const start = (options: StartOptions = {}) =>
  startServer({ ...options, backend: { firstLevel: 0.1, stopAt: 60, ...options.backend } });

interface TextRequest {
  write(text: string | Buffer): void;
  end(): void;
  destroy(): void;
  /** Resolves with the headers. */
  readonly answer: Promise<IncomingMessage>;
}

function post({ port }: TestServer, query: string): TextRequest {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Transfer-Encoding': 'chunked' };
  const sent = request({ host: '127.0.0.1', port, path: `/v1/audio/speech?${query}`, method: 'POST', headers });
  sent.on('error', () => undefined);
  sent.flushHeaders();
  return {
    write: (text) => void sent.write(text),
    end: () => void sent.end(),
    destroy: () => void sent.destroy(),
    answer: once(sent, 'response').then(([response]) => response as IncomingMessage),
  };
}

async function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

it('speaks the beginning while the rest is being written', async () => {
  await using server = await start();
  const text = post(server, 'response_format=pcm&sample_rate=16000&speed=1&voice=default');
  text.write('The first sentence is here. The sec');
  const answer = await text.answer;
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'audio/pcm']);
  const [first] = (await once(answer, 'data')) as [Buffer];
  expect(first.length).toBeGreaterThan(0);
  expect(server.backend.opened).toHaveLength(1);
  text.write('ond one follows.');
  text.end();
  expect((await bytesOf(answer)).length).toBeGreaterThan(61 * 4 * 2);
  expect(server.backend.opened).toHaveLength(2);
});

it('takes the other fields from the query', async () => {
  await using server = await start();
  const text = post(
    server,
    'response_format=wav&stream=false&stream_format=json&timestamps=word&seed=7&sample_rate=16000',
  );
  // A character may be in two chunks.
  const bytes = Buffer.from('Grüße an alle.');
  text.write(bytes.subarray(0, 3));
  text.write(bytes.subarray(3));
  text.end();
  const answer = JSON.parse((await bytesOf(await text.answer)).toString());
  expect(answer).toMatchObject({ seed: 7, timestamps: { text: 'Grüße an alle.' } });
});

it.each([
  ['speed=fast', 'speed must be'],
  ['input_format=ssml', 'input_format must be'],
  ['voice=nobody', 'unknown voice'],
])('refuses %s before the text has ended', async (query, message) => {
  await using server = await start();
  const text = post(server, query);
  text.write('Some text');
  const answer = await text.answer;
  expect(answer.statusCode).toBeGreaterThanOrEqual(400);
  expect(JSON.parse((await bytesOf(answer)).toString()).error.message).toContain(message);
  text.destroy();
});

it.each([
  ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x20]), 'not UTF-8'],
  ['a text beyond the limit', Buffer.alloc(70_000, 'a'), 'longer than the limit of 65536 characters'],
])('refuses %s', async (_, body, message) => {
  await using server = await start();
  const text = post(server, 'response_format=pcm');
  text.write(body);
  const answer = await text.answer;
  expect(answer.statusCode).toBe(400);
  expect(JSON.parse((await bytesOf(answer)).toString()).error.message).toContain(message);
  text.destroy();
});

it('stops when the client disconnects in the middle of the text', async () => {
  await using server = await start({ backend: { stopAt: 10_000, delayMilliseconds: 2 }, slots: 1 });
  const text = post(server, 'response_format=pcm&sample_rate=16000');
  text.write('The first sentence is here. And');
  const answer = await text.answer;
  answer.on('error', () => undefined).resume();
  text.destroy();
  await eventually(
    async () => (await server.speak({ input: 'x', response_format: 'pcm' })).body !== null,
    'it is free',
  );
  await eventually(() => server.backend.opened[0]?.closed === true, 'the session is closed');
});

it('leaves its slot to others while its writer pauses', async () => {
  await using server = await start({ slots: 1 });
  const text = post(server, 'response_format=pcm&sample_rate=16000');
  text.write('The first sentence is here. And');
  const answer = await text.answer;
  const received = bytesOf(answer);
  await eventually(() => server.backend.opened[0]?.closed === true, 'all of the text so far has been spoken');
  const other = await server.speak({ input: 'Another request.', response_format: 'pcm' });
  expect((await other.arrayBuffer()).byteLength).toBeGreaterThan(0);
  text.write(' the second one.');
  text.end();
  expect((await received).length).toBeGreaterThan(2 * 61 * 4 * 2 - 8);
});

it('a text body with a length is read as before', async () => {
  await using server = await start();
  const answer = await server.fetch('/v1/audio/speech', { method: 'POST', body: 'just text' });
  const { message } = await errorOf(answer);
  expect(message).toBe('the body is not valid JSON; to send text, add the header Transfer-Encoding: chunked');
});

/** Writes a body chunk by chunk, whatever the server answers, until the connection is closed. */
function writeOn({ port }: TestServer, chunk: string) {
  const socket = connect(port, '127.0.0.1');
  const written = { answer: '', end: undefined as string | undefined, [Symbol.dispose]: () => void socket.destroy() };
  socket.setEncoding('utf8').on('data', (text) => {
    written.answer += text;
  });
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    written.end = code;
  });
  socket.on('close', () => {
    written.end ??= 'closed';
  });
  socket.write('POST /v1/audio/speech?voice=nobody HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n');
  socket.write('Transfer-Encoding: chunked\r\n\r\n');
  const write = async (): Promise<void> => {
    while (written.end === undefined) {
      await new Promise((resolve) => socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`, resolve));
      await delay(5);
    }
  };
  void write();
  return written;
}

it('reads on for a while after an error, so that a client that still writes receives it, but not without end', async () => {
  await using server = await start({ limits: { lingerMilliseconds: 1e9 } });
  using little = writeOn(server, 'Some text. ');
  await eventually(() => little.answer !== '', 'the error');
  using much = writeOn(server, 'x'.repeat(200_000));
  await eventually(() => much.end !== undefined, 'the connection is closed');
  for (const { answer } of [little, much]) expect(answer).toMatch(/^HTTP\/1\.1 404 [\s\S]*unknown voice/);
  expect(little.end).toBeUndefined();
});

it('does not read on for long', async () => {
  await using server = await start({ limits: { lingerMilliseconds: 100 } });
  using client = writeOn(server, 'x');
  await eventually(() => client.end !== undefined, 'the connection is closed');
  expect(client.answer).toMatch(/^HTTP\/1\.1 404 /);
});

it.each(['', ' \n'])('refuses the empty text %j', async (empty) => {
  await using server = await start();
  const text = post(server, '');
  if (empty !== '') text.write(empty);
  text.end();
  const answer = await text.answer;
  expect(answer.statusCode).toBe(400);
  const { error } = JSON.parse((await bytesOf(answer)).toString());
  expect(error).toMatchObject({
    message: expect.stringMatching(/^input must be .* visible character/),
    param: 'input',
  });
});

it('answers a text without words with a short silence', async () => {
  await using server = await start();
  const text = post(server, 'response_format=pcm');
  text.write('...');
  text.end();
  const silence = await bytesOf(await text.answer);
  expect(silence.length).toBe(0.25 * 24_000 * 2);
});

it.each(['', 'voice=default', 'max_length=100'])(
  'has the defaults of the public API with the query "%s"',
  async (query) => {
    await using server = await start();
    const answers: IncomingMessage[] = [];
    for (const format of ['', '&response_format=pcm', '&response_format=opus']) {
      const text = post(server, `${query}${format}`);
      text.write('Hello there.');
      text.end();
      const answer = await text.answer;
      await bytesOf(answer);
      answers.push(answer);
    }
    expect(answers.map(({ headers }) => [headers['content-type'], headers['x-sample-rate']])).toEqual([
      ['audio/mpeg', '48000'],
      ['audio/pcm', '24000'],
      ['audio/ogg; codecs=opus', '48000'],
    ]);
  },
);

it('counts the characters of the text', async () => {
  await using server = await start();
  const text = post(server, 'response_format=pcm&stream_format=sse');
  text.write('Hello ');
  text.write('there.');
  text.end();
  expect((await bytesOf(await text.answer)).toString()).toContain('"input_tokens":12,');
});
