/** Messages and frames of WebSockets: the messages of every endpoint mutated as values, and the bytes of their frames. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { longest } from '../engine/hostile-texts.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutateJson } from './mutate-json.ts';
import { pick, type Random } from './random.ts';
import { createServedTarget, exchange, replyOf } from './served.ts';
import { hostileText } from './text.ts';

interface Round {
  readonly path: string;
  /** In base64. */
  readonly frames: string;
}

const stream = '/v1/audio/speech/stream';
const input = '/v1/text-to-speech/alloy/stream-input?output_format=pcm_16000&sync_alignment=true';
const multi = '/v1/text-to-speech/alloy/multi-stream-input?output_format=pcm_16000';

const config = { type: 'session.config' };

/** Messages as clients send them. */
const sessions: readonly (readonly [path: string, messages: readonly object[]])[] = [
  [
    stream,
    [
      { ...config, response_format: 'pcm', stream_audio: true, voice: 'alloy', sample_rate: 16_000, seed: 1 },
      { type: 'input.text', text: 'Hello there. And ' },
      { type: 'input.flush' },
      { type: 'input.text', text: 'more.' },
      { type: 'input.done' },
    ],
  ],
  [stream, [{ ...config, response_format: 'wav' }, { type: 'input.cancel' }, { type: 'input.done' }]],
  [
    input,
    [
      { text: ' ', voice_settings: { speed: 1, stability: 0.5 }, generation_config: { chunk_length_schedule: [50] } },
      { text: 'Hello there. ', flush: true },
      { text: '' },
    ],
  ],
  [
    multi,
    [
      { text: ' ', context_id: 'a', voice_settings: { speed: 1 } },
      { text: 'Hello. ', context_id: 'a', flush: true },
      { text: 'Hi. ', context_id: 'b' },
      { context_id: 'a', close_context: true },
      { close_socket: true },
    ],
  ],
];

type Message = string | Buffer;

/** Frames of the messages, as the client of `ws` writes them, without the one that closes the connection. */
async function framesOf(messages: readonly Message[]): Promise<Buffer> {
  server ??= new WebSocketServer({ port: 0, host: '127.0.0.1', maxPayload: 2 ** 26 });
  if (server.address() === null) await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection') as Promise<[WebSocket, { readonly socket: Duplex }]>;
  const client = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
  const [recorder, { socket }] = await connected;
  const written: Buffer[] = [];
  // The receiver unmasks the bytes in place.
  socket.prependListener('data', (part: Buffer) => written.push(Buffer.from(part)));
  let left = messages.length;
  const received = new Promise<void>((resolve) => {
    recorder.on('message', () => {
      left -= 1;
      if (left === 0) resolve();
    });
  });
  if (client.readyState !== client.OPEN) await once(client, 'open');
  for (const message of messages) client.send(message);
  await received;
  client.terminate();
  return Buffer.concat(written);
}

let server: WebSocketServer | undefined;

/** Frames of messages that the protocol of the endpoint doesn't have. */
const strange: readonly ((random: Random) => Message)[] = [
  (random) => Buffer.alloc(random(70_000), random(256)),
  (random) => '['.repeat(1 + random(200_000)),
  (random) => `{"type":"input.text","text":"${'\\"'.repeat(random(200_000))}"}`,
  (random) => `{${Array.from({ length: 1 + random(40_000) }, (_, index) => `"${index}":1`).join()}}`,
  () => '',
  () => 'null',
  () => '{"type":"__proto__","text":"a","context_id":"__proto__"}',
];

function mutateMessages(
  messages: readonly object[],
  random: Random,
): { readonly texts: Message[]; readonly change: string } {
  const texts: Message[] = messages.map((message) => JSON.stringify(message));
  const at = random(texts.length);
  const text = texts[at] as string;
  switch (random(5)) {
    case 0: {
      const number = random(strange.length);
      texts.splice(at, random(2), strange[number]?.(random) ?? '');
      return { texts, change: `strange message ${number} at ${at}` };
    }
    case 1: {
      const spoken = hostileText(random).slice(0, pick(random, [300, 4000, longest]));
      texts[at] = JSON.stringify({ ...messages[at], text: spoken });
      return { texts, change: `a hostile text at ${at}` };
    }
    case 2: {
      const count = 1 + random(300);
      texts.splice(at, 1, ...Array<string>(count).fill(text));
      return { texts, change: `${count} times message ${at}` };
    }
    default: {
      const { text: changed, change } = mutateJson(text, random);
      texts[at] = changed;
      return { texts, change: `message ${at}: ${change}` };
    }
  }
}

const handshake = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

export const target = createServedTarget<Round>({
  valid: { path: stream, frames: '' },
  async mutate(random) {
    const [path, messages] = pick(random, sessions);
    const isOfFrames = random(2) === 0;
    const { texts, change } = isOfFrames
      ? { texts: messages.map((message) => JSON.stringify(message)), change: '' }
      : mutateMessages(messages, random);
    const frames = await framesOf(texts);
    const changed = isOfFrames ? mutateBytes(frames, random) : { bytes: frames, change };
    return { round: { path, frames: changed.bytes.toString('base64') }, change: `${path}: ${changed.change}` };
  },
  async send({ port }, { path, frames }, random) {
    const bytes = Buffer.concat([Buffer.from(handshake(path)), Buffer.from(frames, 'base64')]);
    const answer = await exchange(port, bytes, random);
    const { status } = /^HTTP\/1\.1 (?<status>\d+)/.exec(answer.toString('latin1'))?.groups ?? {};
    if (status !== '101') return replyOf(Number(status ?? 400));
    return answer.includes('"error"') ? 'refused' : 'used';
  },
});
