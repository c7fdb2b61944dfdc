/** Tables in the records of a Mobipocket or Kindle book: of contents, and of the pieces of its pages (INDX records). */
import { decodeBytes } from '../../files/decode-bytes.ts';
import type { MobiHeader } from './mobi-header.ts';
import type { PalmDatabase } from './palm-database.ts';

export type Values = ReadonlyMap<number, readonly number[]>;

interface IndexEntry {
  readonly name: string;
  /** Values by the number of their tag. */
  readonly values: Values;
}

export type IndexTable = ReturnType<typeof readIndex>;

interface Tag {
  readonly tag: number;
  readonly valuesEach: number;
  readonly mask: number;
  readonly isEnd: boolean;
}

const mostEntries = 200_000;
const mostValues = 64;

/** @param index of the record that describes the table, from the header; undefined for none */
export function readIndex(
  { record }: PalmDatabase,
  { text: { first: header }, encoding }: Pick<MobiHeader, 'text' | 'encoding'>,
  index: number | undefined,
) {
  const entries: IndexEntry[] = [];
  const first = header + (index ?? 0);
  const head = record(first);
  if (index === undefined || head.toString('latin1', 0, 4) !== 'INDX') return { entries, text: () => '' };
  const tagx = head.readUInt32BE(4);
  const [records, texts] = [head.readUInt32BE(24), head.readUInt32BE(52)];
  const { tags, controlBytes } = readTags(head, tagx);
  for (let index = 1; index <= records && entries.length < mostEntries; index += 1)
    addEntries(entries, record(first + index), tags, controlBytes);
  return {
    entries,
    /** A text by its offset. */
    text(offset: number | undefined): string {
      const page = Math.floor((offset ?? 0) / 65_536);
      if (offset === undefined || page >= texts) return '';
      const bytes = record(first + records + 1 + page);
      const { value, next } = forwards(bytes, offset % 65_536);
      return decodeBytes(bytes.subarray(next, next + value), encoding);
    },
  };
}

function readTags(head: Buffer, at: number): { readonly tags: readonly Tag[]; readonly controlBytes: number } {
  if (head.toString('latin1', at, at + 4) !== 'TAGX') return { tags: [], controlBytes: 0 };
  const end = Math.min(head.length, at + head.readUInt32BE(at + 4));
  const tags: Tag[] = [];
  for (let place = at + 12; place + 4 <= end; place += 4) {
    const [tag = 0, valuesEach = 0, mask = 0, last = 0] = head.subarray(place, place + 4);
    tags.push({ tag, valuesEach, mask, isEnd: last === 1 });
  }
  return { tags, controlBytes: head.readUInt32BE(at + 8) };
}

function addEntries(entries: IndexEntry[], bytes: Buffer, tags: readonly Tag[], controlBytes: number): void {
  if (bytes.toString('latin1', 0, 4) !== 'INDX') return;
  const [offsets, count] = [bytes.readUInt32BE(20), bytes.readUInt32BE(24)];
  for (let index = 0; index < count && entries.length < mostEntries; index += 1) {
    const place = offsets + 4 + index * 2;
    if (place + 2 > bytes.length) return;
    const at = bytes.readUInt16BE(place);
    const length = bytes[at] ?? 0;
    const name = bytes.toString('latin1', at + 1, at + 1 + length);
    entries.push({ name, values: valuesOf(bytes, at + 1 + length, tags, controlBytes) });
  }
}

/** Control bytes say how many values of each tag follow. */
function valuesOf(bytes: Buffer, start: number, tags: readonly Tag[], controlBytes: number): Values {
  const counts: { readonly tag: number; readonly count?: number; readonly size?: number }[] = [];
  let control = start;
  let at = start + controlBytes;
  for (const { tag, valuesEach, mask, isEnd } of tags) {
    if (isEnd) {
      control += 1;
      continue;
    }
    const bits = (bytes[control] ?? 0) & mask;
    if (bits === 0) continue;
    if (bits === mask && countBits(mask) > 1) {
      // Their length in bytes follows in place of their number.
      const { value, next } = forwards(bytes, at);
      at = next;
      counts.push({ tag, size: value });
    } else counts.push({ tag, count: (bits >>> trailingZeros(mask)) * valuesEach });
  }
  const values = new Map<number, readonly number[]>();
  for (const { tag, count, size } of counts) {
    const found: number[] = [];
    const end = size === undefined ? undefined : at + size;
    const isMore = (): boolean => (end === undefined ? found.length < (count ?? 0) : at < end);
    while (found.length < mostValues && at < bytes.length && isMore()) {
      const { value, next } = forwards(bytes, at);
      found.push(value);
      at = next;
    }
    values.set(tag, found);
  }
  return values;
}

/** A number in groups of seven bits, of which the last has the highest bit. */
function forwards(bytes: Buffer, at: number): { readonly value: number; readonly next: number } {
  let value = 0;
  let next = at;
  while (next < bytes.length && next < at + 4) {
    const byte = bytes[next++] as number;
    value = value * 128 + (byte & 0x7f);
    if ((byte & 0x80) !== 0) break;
  }
  return { value, next };
}

const countBits = (mask: number): number => [...mask.toString(2)].filter((bit) => bit === '1').length;
const trailingZeros = (mask: number): number => 31 - Math.clz32(mask & -mask);
