/** A Wyoming client that sends any bytes and collects the events of the server. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Received {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly payload: Buffer;
}

export interface WyomingClient extends AsyncDisposable {
  readonly socket: Socket;
  /** Data after the line, as current clients send it. */
  send(type: string, data?: object, payload?: Buffer): void;
  raw(bytes: string | Buffer): void;
  /** The next event; undefined when the server has closed the connection. */
  next(): Promise<Received | undefined>;
  /** All events up to one of that type. */
  until(type: string): Promise<Received[]>;
}

export async function connectWyoming(port: number): Promise<WyomingClient> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  let bytes = Buffer.alloc(0);
  let isOver = false;
  let wake = (): void => undefined;
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    wake();
  });
  socket.once('close', () => {
    isOver = true;
    wake();
  });

  function take(): Received | undefined {
    const end = bytes.indexOf('\n');
    if (end < 0) return undefined;
    const header = JSON.parse(bytes.subarray(0, end).toString());
    const data = end + 1 + (header.data_length ?? 0);
    const all = data + (header.payload_length ?? 0);
    if (bytes.length < all) return undefined;
    const event = {
      type: header.type,
      data: header.data_length ? JSON.parse(bytes.subarray(end + 1, data).toString()) : {},
      payload: bytes.subarray(data, all),
    };
    bytes = bytes.subarray(all);
    return event;
  }

  async function next(): Promise<Received | undefined> {
    for (;;) {
      const event = take();
      if (event !== undefined) return event;
      if (isOver) return undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  return {
    socket,
    raw: (given) => void socket.write(given),
    send(type, data, payload) {
      const details = data === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(data));
      const header = { type, version: '1.10.2', data_length: details.length, payload_length: payload?.length };
      socket.write(Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), details, payload ?? Buffer.alloc(0)]));
    },
    next,
    async until(type) {
      const events: Received[] = [];
      for (;;) {
        const event = await next();
        if (event === undefined) throw new Error(`closed before ${type}, after ${JSON.stringify(events)}`);
        events.push(event);
        if (event.type === type) return events;
      }
    },
    async [Symbol.asyncDispose]() {
      socket.destroy();
    },
  };
}

export const typesOf = (events: readonly Received[]): readonly string[] =>
  events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);

export const audioOf = (events: readonly Received[]): Buffer =>
  Buffer.concat(events.filter(({ type }) => type === 'audio-chunk').map(({ payload }) => payload));
