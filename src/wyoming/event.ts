/**
 * Events of the Wyoming protocol, <https://github.com/OHF-Voice/wyoming>: a line of JSON, then data as JSON and a binary
 * payload of the lengths that the line names.
 */
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
