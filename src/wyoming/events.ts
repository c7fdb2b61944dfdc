/**
 * Events of the Wyoming protocol, <https://github.com/OHF-Voice/wyoming>: a line of JSON, then data as JSON and a binary
 * payload of the lengths that the line names.
 */
import type { Socket } from 'node:net';
import { z } from 'zod';
import { waitFor } from '../cancellation.ts';
import { SvcError } from '../errors.ts';
import { yieldToEventLoop } from '../event-loop.ts';
import { findPackage } from '../package/package-root.ts';

export interface WyomingEvent {
  readonly type: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly payload?: Uint8Array;
}

/** As one piece, so that events of concurrent writers don't mix. */
export function encodeEvent({ type, data, payload }: WyomingEvent): Uint8Array {
  const details = data === undefined ? undefined : Buffer.from(JSON.stringify(data));
  const { version } = findPackage();
  const header = { type, version, data_length: details?.length, payload_length: payload?.length };
  const line = Buffer.from(`${JSON.stringify(header)}\n`);
  return Buffer.concat([line, details ?? empty, payload ?? empty]);
}

const empty = Buffer.alloc(0);

export const defaultEventLimits = {
  /** Maximum length of the line, as in the reference implementation. */
  lineBytes: 64 * 1024,
  dataBytes: 1024 * 1024,
  /** Payloads are skipped, as no event for speech synthesis has one. */
  payloadBytes: 1024 * 1024,
};

const object = z.record(z.string(), z.unknown());
const length = z.int().min(0).nullish();
const headerSchema = z.object({
  type: z.string(),
  data: object.nullish(),
  data_length: length,
  payload_length: length,
});
type Header = z.output<typeof headerSchema>;

/** Reads events from bytes that arrive in pieces of any size, within limits. */
export function createEventReader({ lineBytes, dataBytes, payloadBytes }: typeof defaultEventLimits) {
  /** Pieces of the current line or data. */
  let pieces: Uint8Array[] = [];
  let held = 0;
  /** The event whose data or payload is read. */
  let header: Header | undefined;
  let data: WyomingEvent['data'];
  /** Bytes of data or payload that are missing. */
  let missing = 0;

  function take(): Buffer {
    const bytes = Buffer.concat(pieces);
    pieces = [];
    held = 0;
    return bytes;
  }

  function hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    // A copy, as a small piece would keep the whole buffer of the socket.
    pieces.push(Uint8Array.from(bytes));
    held += bytes.length;
  }

  function begin(line: Buffer): void {
    const found = parseHeader(line);
    assertLength('data_length', found.data_length, dataBytes);
    assertLength('payload_length', found.payload_length, payloadBytes);
    header = found;
    data = undefined;
    missing = found.data_length ?? 0;
  }

  /** Yields the events that are complete, without their payloads. @throws SvcError INVALID_REQUEST, PAYLOAD_TOO_LARGE */
  function* push(bytes: Uint8Array): Generator<WyomingEvent, void, undefined> {
    let rest = bytes;
    while (rest.length > 0) {
      if (header === undefined) {
        const end = rest.indexOf(newline);
        if (held + (end < 0 ? rest.length : end) > lineBytes) throw tooLong('line', lineBytes);
        hold(end < 0 ? rest : rest.subarray(0, end));
        if (end < 0) return;
        rest = rest.subarray(end + 1);
        begin(take());
      } else {
        const piece = rest.subarray(0, missing);
        rest = rest.subarray(piece.length);
        missing -= piece.length;
        if (data === undefined) hold(piece);
      }
      while (header !== undefined && missing === 0) {
        if (data === undefined) {
          data = { ...header.data, ...(header.data_length ? parseData(take()) : {}) };
          missing = header.payload_length ?? 0;
          continue;
        }
        const event = { type: header.type, data };
        header = undefined;
        yield event;
      }
    }
  }

  return {
    push,
    /** Whether a part of an event has arrived. */
    get isInside(): boolean {
      return held > 0 || header !== undefined;
    },
  };
}

const newline = 0x0a;

function assertLength(name: string, given: number | null | undefined, limit: number): void {
  if ((given ?? 0) > limit) {
    throw new SvcError('PAYLOAD_TOO_LARGE', `${name} must be at most ${limit} bytes, got ${given}`);
  }
}

const tooLong = (what: string, limit: number): SvcError =>
  new SvcError('PAYLOAD_TOO_LARGE', `the ${what} of an event is longer than the limit of ${limit} bytes`);

function parseHeader(line: Buffer): Header {
  const { data, error } = headerSchema.safeParse(parseJson(line, 'line'));
  if (data !== undefined) return data;
  const field = error.issues[0]?.path.join('.') ?? '';
  const problem = field === '' ? 'must be a JSON object' : `has an invalid ${field}`;
  throw new SvcError('INVALID_REQUEST', `the line of an event ${problem}`);
}

function parseData(bytes: Buffer): Record<string, unknown> {
  const { data } = object.safeParse(parseJson(bytes, 'data'));
  if (data !== undefined) return data;
  throw new SvcError('INVALID_REQUEST', 'the data of an event must be a JSON object');
}

function parseJson(bytes: Buffer, what: string): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new SvcError('INVALID_REQUEST', `the ${what} of an event is not JSON`, { cause });
  }
}

export const defaultReceiveLimits = {
  events: defaultEventLimits,
  /** Pieces that may wait to be parsed, and their bytes; then the socket isn't read. */
  waitingPieces: 256,
  waitingBytes: 1024 * 1024,
  /** Time limit from the first byte of an event to its last, in milliseconds. */
  eventMilliseconds: 15_000,
  /** Time limit for waiting for an event, in milliseconds. */
  idleMilliseconds: 300_000,
};

export type ReceiveLimits = Readonly<typeof defaultReceiveLimits>;

/**
 * The events of a socket, which is read even while they are handled, so that its closing is noticed. Ends when no event has
 * arrived for a while. An event is parsed when the one before it was handled, in a later turn of the
 * event loop, so that thousands of small ones don't keep other clients waiting.
 *
 * @param signal ends the wait
 * @throws SvcError INVALID_REQUEST, PAYLOAD_TOO_LARGE; the reason of `signal`
 */
export async function* receiveEvents(
  socket: Socket,
  limits: ReceiveLimits,
  signal: AbortSignal,
): AsyncGenerator<WyomingEvent, void, undefined> {
  const reader = createEventReader(limits.events);
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let wake = (): void => undefined;

  function hold(bytes: Uint8Array): void {
    waiting.push(bytes);
    waitingBytes += bytes.length;
    if (waiting.length >= limits.waitingPieces || waitingBytes > limits.waitingBytes) socket.pause();
    wake();
  }

  /** @returns whether something happened in time */
  function somethingHappens(milliseconds: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const begin = (resolve: (happened: boolean) => void): void => {
      wake = () => resolve(true);
      timer = setTimeout(resolve, milliseconds, false);
    };
    return waitFor(signal, begin, () => clearTimeout(timer)).catch(() => true);
  }

  /** When the server began to wait for the rest of an event. */
  let partSince: number | undefined;
  socket.on('data', hold);
  try {
    for (;;) {
      for (let bytes = waiting.shift(); bytes !== undefined; bytes = waiting.shift()) {
        waitingBytes -= bytes.length;
        for (const event of reader.push(bytes)) {
          partSince = undefined;
          yield event;
          await yieldToEventLoop();
          signal.throwIfAborted();
        }
      }
      signal.throwIfAborted();
      socket.resume();
      if (reader.isInside) partSince ??= performance.now();
      const left =
        partSince === undefined ? limits.idleMilliseconds : partSince + limits.eventMilliseconds - performance.now();
      if (await somethingHappens(left)) continue;
      if (partSince === undefined) return;
      throw new SvcError('INVALID_REQUEST', 'an event took too long to arrive');
    }
  } finally {
    // Discards the rest.
    socket.off('data', hold).resume();
  }
}
