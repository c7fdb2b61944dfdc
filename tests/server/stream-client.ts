/** A client of `/v1/audio/speech/stream` over a real socket. */
import { type ClientOptions, WebSocket } from 'ws';

export type Event = Readonly<Record<string, unknown>> & { readonly type: string };

export interface StreamOptions extends ClientOptions {
  readonly path?: string;
  /** Settings that it sends first. */
  readonly config?: object;
}

export interface StreamClient extends AsyncDisposable {
  readonly socket: WebSocket;
  readonly events: readonly Event[];
  /** Bytes of the binary messages so far. */
  readonly bytes: () => number;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  send(type: string, fields?: object): void;
  /** Sends a text and its end. */
  say(text: string): void;
  /** Takes messages up to the first of a type. Binary messages become `{ type: 'bytes', length }`. */
  until(type: string): Promise<readonly Event[]>;
  /** Takes messages up to the first of a type, and returns that one. */
  last(type: string): Promise<Event>;
}

/** @throws Error with the status of an answer that is no upgrade */
export async function openStream(
  url: string,
  { path = '/v1/audio/speech/stream', config, ...options }: StreamOptions = {},
): Promise<StreamClient> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, options);
  const events: Event[] = [];
  let taken = 0;
  let bytes = 0;
  let wake = (): void => undefined;
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) bytes += data.length;
    events.push(isBinary ? { type: 'bytes', length: data.length, data } : JSON.parse(data.toString()));
    wake();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      resolve({ code, reason: reason.toString() });
      wake();
    });
  });
  await new Promise<void>((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('error', reject);
  });
  const send = (type: string, fields: object = {}): void => socket.send(JSON.stringify({ type, ...fields }));
  async function until(type: string): Promise<readonly Event[]> {
    for (let at = taken; ; at += 1) {
      while (at >= events.length) {
        if (socket.readyState === socket.CLOSED) throw new Error(`closed before ${type}: ${JSON.stringify(events)}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (events[at]?.type === type) {
        const found = events.slice(taken, at + 1);
        taken = at + 1;
        return found;
      }
    }
  }
  if (config !== undefined) send('session.config', config);
  return {
    socket,
    events,
    bytes: () => bytes,
    closed,
    send,
    say(text) {
      send('input.text', { text });
      send('input.done');
    },
    until,
    last: async (type) => (await until(type)).at(-1) as Event,
    async [Symbol.asyncDispose]() {
      socket.terminate();
      await closed;
    },
  };
}
