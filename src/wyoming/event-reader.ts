/** Reads Wyoming events from bytes that arrive in pieces of any size, within limits. */
import { z } from 'zod';
import { SvcError } from '../errors.ts';
import type { WyomingEvent } from './event.ts';

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
