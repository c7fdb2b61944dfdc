/** `POST /v1/audio/speech` with a body of text that is spoken while it arrives. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { rawSockets } from './raw-sockets.ts';
import { expectError, freshServer } from './test-server.ts';

const server = freshServer({ backend: { firstLevel: 0.1, stopAt: 60 } });
const open = rawSockets();

interface TextRequest {
  write(text: string | Buffer): void;
  end(): void;
  destroy(): void;
  /** Resolves with the headers. */
  readonly answer: Promise<IncomingMessage>;
}

async function post(query: string, ...texts: readonly (string | Buffer)[]): Promise<TextRequest> {
  const { port } = await server.started();
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Transfer-Encoding': 'chunked' };
  const sent = request({ host: '127.0.0.1', port, path: `/v1/audio/speech?${query}`, method: 'POST', headers });
  sent.on('error', () => undefined);
  sent.flushHeaders();
  for (const text of texts) sent.write(text);
  return {
    write: (text) => void sent.write(text),
    end: () => void sent.end(),
    destroy: () => void sent.destroy(),
    answer: once(sent, 'response').then(([response]) => response as IncomingMessage),
  };
}

const bytesOf = async (answer: IncomingMessage | Promise<IncomingMessage>): Promise<Buffer> => buffer(await answer);
const bodyOf = async (text: TextRequest) => JSON.parse((await bytesOf(text.answer)).toString());
/** The answer to a text that ends. */
async function ended(query: string, ...texts: readonly (string | Buffer)[]): Promise<TextRequest> {
  const text = await post(query, ...texts);
  text.end();
  return text;
}

it('speaks the beginning while the rest is being written', async () => {
  const query = 'response_format=pcm&sample_rate=16000&speed=1&voice=default';
  const text = await post(query, 'The first sentence is here. The sec');
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
  // A character may be in two chunks.
  const bytes = Buffer.from('Grüße an alle.');
  const query = 'response_format=wav&stream=false&stream_format=json&timestamps=word&seed=7&sample_rate=16000';
  const answer = await bodyOf(await ended(query, bytes.subarray(0, 3), bytes.subarray(3)));
  expect(answer).toMatchObject({ seed: 7, timestamps: { text: 'Grüße an alle.' } });
});

it.each([
  ['speed=fast', 'speed must be'],
  ['input_format=ssml', 'input_format must be'],
  ['voice=nobody', 'unknown voice'],
])('refuses %s before the text has ended', async (query, message) => {
  const text = await post(query, 'Some text');
  const answer = await text.answer;
  expect(answer.statusCode).toBeGreaterThanOrEqual(400);
  expect(JSON.parse((await bytesOf(answer)).toString()).error.message).toContain(message);
  text.destroy();
});

it.each([
  ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x20]), 'not UTF-8'],
  ['a text beyond the limit', Buffer.alloc(70_000, 'a'), 'longer than the limit of 65536 characters'],
])('refuses %s', async (_, body, message) => {
  const text = await post('response_format=pcm', body);
  const answer = await text.answer;
  expect(answer.statusCode).toBe(400);
  expect(JSON.parse((await bytesOf(answer)).toString()).error.message).toContain(message);
  text.destroy();
});

it('stops when the client disconnects in the middle of the text', async () => {
  await server.start({ backend: { stopAt: 10_000, delayMilliseconds: 2 }, slots: 1 });
  const text = await post('response_format=pcm&sample_rate=16000', 'The first sentence is here. And');
  const answer = await text.answer;
  answer.on('error', () => undefined).resume();
  text.destroy();
  const other = { input: 'x', response_format: 'pcm' };
  await eventually(async () => (await server.speak(other)).body !== null, 'it is free');
  await eventually(() => server.backend.opened[0]?.closed === true, 'the session is closed');
});

it('leaves its slot to others while its writer pauses', async () => {
  await server.start({ slots: 1 });
  const text = await post('response_format=pcm&sample_rate=16000', 'The first sentence is here. And');
  const received = bytesOf(text.answer);
  await eventually(() => server.backend.opened[0]?.closed === true, 'all of the text so far has been spoken');
  expect((await server.hear({ input: 'Another request.', response_format: 'pcm' })).length).toBeGreaterThan(0);
  text.write(' the second one.');
  text.end();
  expect((await received).length).toBeGreaterThan(2 * 61 * 4 * 2 - 8);
});

it('a text body with a length is read as before', async () => {
  const message = 'the body is not valid JSON; to send text, add the header Transfer-Encoding: chunked';
  await expectError(server.fetch('/v1/audio/speech', { method: 'POST', body: 'just text' }), 400, message);
});

/** Writes a body chunk by chunk, whatever the server answers, until the connection is closed. */
async function writeOn(chunk: string) {
  const socket = await open(server.port);
  const written = { answer: '', end: undefined as string | undefined };
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
  await server.start({ limits: { lingerMilliseconds: 1e9 } });
  const little = await writeOn('Some text. ');
  await eventually(() => little.answer !== '', 'the error');
  const much = await writeOn('x'.repeat(200_000));
  await eventually(() => much.end !== undefined, 'the connection is closed');
  for (const { answer } of [little, much]) expect(answer).toMatch(/^HTTP\/1\.1 404 [\s\S]*unknown voice/);
  expect(little.end).toBeUndefined();
});

it('does not read on for long', async () => {
  await server.start({ limits: { lingerMilliseconds: 100 } });
  const client = await writeOn('x');
  await eventually(() => client.end !== undefined, 'the connection is closed');
  expect(client.answer).toMatch(/^HTTP\/1\.1 404 /);
});

it.each(['', ' \n'])('refuses the empty text %j', async (empty) => {
  const text = await ended('', ...(empty === '' ? [] : [empty]));
  expect((await text.answer).statusCode).toBe(400);
  const { error } = await bodyOf(text);
  const message = expect.stringMatching(/^input must be .* visible character/);
  expect(error).toMatchObject({ message, param: 'input' });
});

it('answers a text without words with a short silence', async () => {
  const text = await ended('response_format=pcm', '...');
  expect((await bytesOf(text.answer)).length).toBe(0.25 * 24_000 * 2);
});

it.each(['', 'voice=default', 'max_length=100'])(
  'has the defaults of the public API with the query "%s"',
  async (query) => {
    const answers: IncomingMessage[] = [];
    for (const format of ['', '&response_format=pcm', '&response_format=opus']) {
      const answer = await (await ended(`${query}${format}`, 'Hello there.')).answer;
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
  const text = await ended('response_format=pcm&stream_format=sse', 'Hello ', 'there.');
  expect((await bytesOf(text.answer)).toString()).toContain('"input_tokens":12,');
});
