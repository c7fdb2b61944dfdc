/** The header of a Mobipocket or Kindle book: how its text is packed, and what it says about itself. */
import { decodeBytes } from '../../files/decode-bytes.ts';
import { sanitizeLine } from '../../messages.ts';
import type { PalmDatabase } from './palm-database.ts';

export type MobiHeader = NonNullable<ReturnType<typeof readHeader>>;

const none = 0xffffffff;
const mostFields = 1_000;

/** @returns undefined for what has none */
export function readHeader({ record, count }: PalmDatabase) {
  const bytes = record(0);
  if (count === 0 || bytes.length < 16) return undefined;
  const isMobi = bytes.toString('latin1', 16, 20) === 'MOBI';
  const length = isMobi ? bytes.readUInt32BE(20) : 0;
  const value = (at: number): number | undefined =>
    isMobi && at + 4 <= 16 + length && at + 4 <= bytes.length ? bytes.readUInt32BE(at) : undefined;
  /** Record of a table, counted from the header. */
  const recordAt = (at: number): number | undefined => {
    const found = value(at);
    return found === none ? undefined : found;
  };
  const encoding = value(28) === 65_001 ? 'utf-8' : 'windows-1252';
  const decode = (part: Buffer): string => sanitizeLine(decodeBytes(part, encoding).replaceAll('\0', ''));
  const exth = ((value(128) ?? 0) & 0x40) === 0 ? new Map<number, Buffer[]>() : fieldsOf(bytes, 16 + length);
  const field = (type: number): string | undefined => {
    const [first] = exth.get(type) ?? [];
    return first === undefined ? undefined : decode(first) || undefined;
  };
  const [nameAt, nameLength] = [value(84), value(88)];
  const name =
    nameAt === undefined || nameLength === undefined ? '' : decode(bytes.subarray(nameAt, nameAt + nameLength));
  const authors = (exth.get(100) ?? []).map(decode).filter((author) => author !== '');
  const [cover] = exth.get(201) ?? [];
  return {
    isMobi,
    isEncrypted: bytes.readUInt16BE(12) !== 0,
    /** 8 for Kindle's later format. */
    version: value(36) ?? 0,
    encoding,
    text: {
      /** Record of the header of the book. */
      first: 0,
      count: bytes.readUInt16BE(8),
      compression: bytes.readUInt16BE(0),
      /** Data after the text of each record: bits of the header. */
      trailing: value(240) ?? 0,
      huffman: { first: value(112) ?? 0, count: value(116) ?? 0 },
    },
    ncx: recordAt(244),
    flows: recordAt(192),
    fragments: recordAt(248),
    skeletons: recordAt(252),
    firstPicture: recordAt(108),
    /** Number of the picture of the cover. */
    cover:
      cover !== undefined && cover.length === 4 && cover.readUInt32BE(0) !== none ? cover.readUInt32BE(0) : undefined,
    details: {
      title: field(503) ?? (name || undefined),
      author: authors.join(', ') || undefined,
      publisher: field(101),
      description: field(103),
      date: field(106),
      language: field(524),
    },
  };
}

function fieldsOf(bytes: Buffer, start: number): ReadonlyMap<number, readonly Buffer[]> {
  const fields = new Map<number, Buffer[]>();
  if (bytes.toString('latin1', start, start + 4) !== 'EXTH' || start + 12 > bytes.length) return fields;
  const count = Math.min(mostFields, bytes.readUInt32BE(start + 8));
  let at = start + 12;
  for (let index = 0; index < count && at + 8 <= bytes.length; index += 1) {
    const [type, length] = [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
    if (length < 8) break;
    fields.set(type, [...(fields.get(type) ?? []), bytes.subarray(at + 8, at + length)]);
    at += length;
  }
  return fields;
}
