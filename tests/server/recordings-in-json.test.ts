/** `ref_audio`, the recording of a voice inside a JSON request. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { bytesOf, errorOf, read, wavOf } from './start-server.ts';
import { expectError, freshServer, sharedServer } from './test-server.ts';

afterEach(() => void jest.restoreAllMocks());
const server = freshServer();
const shared = sharedServer();

const recording = wavOf();
const base64 = recording.toString('base64');
const pcm = { input: 'hello', response_format: 'pcm' };

/** Masked patches of the voice, and the text with that of its prompt. */
async function receive(response: Response): Promise<readonly [patches: number, text: string | undefined]> {
  await bytesOf(response);
  return [server.backend.audio.at(-1) ?? 0, server.backend.texts.at(-1)];
}

describe('ref_audio', () => {
  it.each([
    ['base64', base64],
    ['base64 in lines', base64.replace(/.{76}/g, '$&\r\n')],
    ['base64 of URLs', recording.toString('base64url')],
    ['a data URL', `data:audio/wav;base64,${base64}`],
    ['a data URL with parameters', `data:audio/webm;codecs=opus;base64,${base64}`],
    ['an array of one', [`data:audio/wav;base64,${base64}`]],
  ])('is %s', async (_name, ref_audio) => {
    const before = shared.backend.audio.length;
    // Clients of the public API must name a voice.
    await shared.hear({ ...pcm, voice: 'alloy', ref_audio, ref_text: 'said.' });
    expect([shared.backend.audio.slice(before), shared.backend.texts.at(-1)]).toEqual([[40], 'said.hello']);
  });

  it('is read on every endpoint that takes the same body', async () => {
    const body = { input: 'hello', ref_audio: base64, ref_text: 'said.' };
    expect(await receive(await server.post('/v1/audio/speech/stream', body))).toEqual([40, 'said.hello']);
    const captioned = { ...body, stream: false };
    expect(await receive(await server.post('/dev/captioned_speech', captioned))).toEqual([40, 'said.hello']);
  });

  it('sets the timbre of a continued prompt_audio', async () => {
    await server.start({ backend: { info: { architecture: 'voxcpm2' } } });
    const [timbre] = await receive(await server.speak({ ...pcm, ref_audio: base64 }));
    const prompt = { prompt_audio: base64, prompt_text: 'said.' };
    const [prompted, text] = await receive(await server.speak({ ...pcm, voice: 'alloy', ...prompt }));
    expect([prompted, text]).toEqual([40, 'said.hello']);
    const both = await server.speak({ ...pcm, ...prompt, ref_audio: base64, ref_text: 'unused' });
    expect(both.headers.get('Warning')).toContain('ref_text has no effect beside prompt_audio; it is ignored');
    expect(await receive(both)).toEqual([prompted + timbre, text]);
  });

  it('gives VoxCPM 2 the timbre alone without a transcript, or if the transcript is to be ignored', async () => {
    await server.start({ backend: { info: { architecture: 'voxcpm2' } } });
    const alone = await receive(await server.speak({ ...pcm, ref_audio: base64 }));
    const ignored = { ...pcm, ref_audio: base64, ref_text: 'said.', x_vector_only_mode: true };
    expect(await receive(await server.speak(ignored))).toEqual(alone);
    expect(alone[1]).toBe('hello');
    const prompt = await receive(await server.speak({ ...pcm, ref_audio: base64, ref_text: 'said.' }));
    expect(prompt[1]).toBe('said.hello');
  });

  it.each(['stereo.webm', 'mono-16-khz.aiff', 'mono-16-khz.caf', 'mono-16-khz.mp3'])('may be %s', async (name) => {
    await server.start({ backend: { info: { contextLength: 8192 } } });
    const bytes = await readFile(join(import.meta.dirname, '../fixtures/audio', name));
    const [patches] = await receive(await server.speak({ ...pcm, ref_audio: bytes.toString('base64'), ref_text: 'a' }));
    expect(patches).toBeGreaterThan(2_000);
  });

  const wrong = 'ref_audio must be audio in base64 or a data URL (URLs of other kinds are not fetched), got';
  it('is refused after many spaces', async () => {
    const message = `${wrong} "${' '.repeat(40)}"…`;
    const refused = shared.speak({ ...pcm, ref_audio: `${' '.repeat(500_000)}!` });
    await expectError(refused, 400, { message, param: 'ref_audio' });
  });
});

describe('large bodies', () => {
  const of = (bytes: number): object => ({ ...pcm, ref_audio: Buffer.alloc(bytes).toString('base64') });

  it('hold a recording up to the limit of uploads', async () => {
    await server.start({ limits: { uploadBytes: 3 * 1024 ** 2 } });
    await expectError(server.speak(of(3 * 1024 ** 2)), 415, /unsupported audio/);
    const more = await server.speak(of(3 * 1024 ** 2 + 1));
    await expectError(more, 413, 'the file "ref_audio" is larger than the limit of 3 MiB');
  });

  it('are refused by the length that they declare', async () => {
    const { port } = await server.started();
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    socket.write(
      `POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${40 * 1024 ** 2}\r\n\r\n{`,
    );
    let answer = '';
    for await (const chunk of socket) {
      answer += chunk;
      if (answer.includes('}')) break;
    }
    expect(answer).toMatch(/^HTTP\/1\.1 413 .*the body is larger than the limit of 36 MiB/s);
  });

  it('are each parsed and decoded in a turn of the event loop of their own', async () => {
    let turn = 0;
    let timer = setImmediate(function tick() {
      turn += 1;
      timer = setImmediate(tick);
    });
    const turns: number[] = [];
    const note = (text: unknown): void => {
      if (typeof text === 'string' && text.length > 2 * 1024 ** 2) turns.push(turn);
    };
    const [parse, from] = [JSON.parse, Buffer.from as (...given: readonly unknown[]) => Buffer<ArrayBuffer>];
    jest.spyOn(JSON, 'parse').mockImplementation((...given) => {
      note(given[0]);
      return parse(...given);
    });
    jest.spyOn(Buffer, 'from').mockImplementation((...given: readonly unknown[]) => {
      if (given[1] === 'base64') note(given[0]);
      return from(...given);
    });
    const body = JSON.stringify(of(4 * 1024 ** 2));
    const send = async () => (await server.fetch('/v1/audio/speech', { method: 'POST', body })).status;
    expect(await Promise.all([send(), send(), send()])).toEqual([415, 415, 415]);
    clearImmediate(timer);
    expect(turns).toHaveLength(6);
    expect(new Set(turns).size).toBe(6);
  });

  it('are decoded piece by piece, also when they are compressed', async () => {
    await server.start({ limits: { bodyBytes: 1000 } });
    const text = JSON.stringify({ input: 'größe', ref_audio: randomBytes(60_000).toString('base64'), voice: 'größe' });
    const send = async (body: Buffer, headers = {}): Promise<string> =>
      (await errorOf(server.fetch('/v1/audio/speech', { method: 'POST', body: new Uint8Array(body), headers })))
        .message;
    expect(await send(Buffer.from(text))).toContain('unsupported audio');
    const packed = { gzip: gzipSync(text), deflate: deflateSync(text), br: brotliCompressSync(text) };
    for (const [encoding, bytes] of Object.entries(packed)) {
      expect(await send(bytes, { 'Content-Encoding': encoding })).toContain('unsupported audio');
      const cut = await send(bytes.subarray(0, -20), { 'Content-Encoding': encoding });
      expect(cut).toBe('the body cannot be read: unexpected end of file');
    }
    const broken = Buffer.from(text);
    broken[broken.length - 3] = 0xff;
    expect(await send(broken)).toBe('the body is not valid UTF-8');
  });

  it('are refused if they are not JSON, and hold up no others', async () => {
    const body = `{"input":"hello","ref_audio":"${'A'.repeat(2 * 1024 ** 2)}`;
    const refused = await server.fetch('/v1/audio/speech', { method: 'POST', body });
    await expectError(refused, 400, 'the body is not valid JSON (at position 2097182)');
    await expectError(server.speak(of(2 * 1024 ** 2)), 415, /unsupported audio/);
  });

  it.each([
    ['objects', `{"input":"x","junk":[${'{},'.repeat(400_000)}{}]}`],
    ['objects beside a recording', `{"ref_audio":"${'A'.repeat(2 * 1024 ** 2)}","junk":[${'{},'.repeat(400_000)}{}]}`],
    ['numbers between strings', `{"input":"x","junk":["a"${',1'.repeat(600_000)}],"b":"c"}`],
    ['strings', `{"input":"x","junk":[${'"",'.repeat(400_000)}""]}`],
    ['quotes', `{"input":"${'\\"'.repeat(600_000)}"}`],
  ])('of many %s are refused before they are parsed', async (_what, body) => {
    const parse = jest.spyOn(JSON, 'parse');
    const concat = jest.spyOn(Buffer, 'concat');
    const refused = await shared.fetch('/v1/audio/speech', { method: 'POST', body });
    const parsed = parse.mock.calls.filter(([text]) => String(text).length > 1024 ** 2);
    const joined = concat.mock.results.filter(({ value }) => (value as Buffer).length > 1024 ** 2);
    expect([parsed.length, joined.length]).toEqual([0, 0]);
    await expectError(refused, 413, 'the body is larger than the limit of 1 MiB');
  });

  it('begin above a MiB, of whatever', async () => {
    const body = JSON.stringify({ ...pcm, input: 'hello' });
    const send = async (bytes: number): Promise<number> => {
      return (await read(server.fetch('/v1/audio/speech', { method: 'POST', body: body.padEnd(bytes) }))).status;
    };
    expect([await send(1024 ** 2), await send(1024 ** 2 + 1)]).toEqual([200, 413]);
  });

  it('are not read when the queue is full', async () => {
    await server.start({ slots: 1, maxWaiting: 0, backend: { delayMilliseconds: 1 } });
    const { end } = await server.occupy(pcm);
    await expectError(server.speak(of(2 * 1024 ** 2)), 503, { code: 'queue_full' });
    await end();
  });

  it('count as uploads, of which there are eight at once', async () => {
    const { port } = await server.started();
    const head = `POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${2 * 1024 ** 2}\r\n\r\n{`;
    const sockets = Array.from({ length: 8 }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(head);
      return socket;
    });
    const message = async (): Promise<string> => (await errorOf(server.speak(of(2 * 1024 ** 2)))).message;
    await eventually(async () => (await message()).includes('too many uploads at once (the limit is 8)'), 'refused');
    // Small bodies are read meanwhile.
    expect((await receive(await server.speak(pcm)))[1]).toBe('hello');
    for (const socket of sockets) socket.destroy();
    await eventually(async () => (await message()).includes('unsupported audio'), 'accepted again');
  });

  it('without a recording are refused', async () => {
    for (const ref_audio of [undefined, 'UklGR', 7]) {
      const padded = await server.speak({ ...pcm, ref_audio, padding: 'a'.repeat(2 * 1024 ** 2) });
      await expectError(padded, 413, 'the body is larger than the limit of 1 MiB');
    }
    const refused = await server.post('/v1/audio/speech/cancel', { job_id: 'a'.repeat(2 * 1024 ** 2) });
    await expectError(refused, 413, 'the body is larger than the limit of 1 MiB');
  });
});
