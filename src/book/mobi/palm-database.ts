/** The records of a Palm database, and the text that Mobipocket and Kindle books keep in them. */
import { DocumentLimitError } from '../document-file.ts';
import { createHuffman } from './huffman.ts';

export type PalmDatabase = ReturnType<typeof openPalmDatabase>;

export function openPalmDatabase(bytes: Buffer) {
  const count = bytes.length < 78 ? 0 : bytes.readUInt16BE(76);
  const offsetAt = (index: number): number => {
    const at = 78 + index * 8;
    return index < count && at + 4 <= bytes.length ? bytes.readUInt32BE(at) : bytes.length;
  };
  return {
    count,
    /** A record by its number; empty for one that the file doesn't have. */
    record: (index: number): Buffer =>
      index < 0 || index >= count ? Buffer.alloc(0) : bytes.subarray(offsetAt(index), offsetAt(index + 1)),
  };
}

/** Bytes of all text; long books have four million. */
const mostText = 64 * 1024 * 1024;
/** Bytes of a record of text, which are 4096 in real books. */
const largestRecord = 64 * 1024;

type Records = Readonly<Record<'first' | 'count', number>>;
type TextRecords = Records & Readonly<Record<'compression' | 'trailing', number>> & { readonly huffman: Records };

/** @throws DocumentLimitError for a text that no real book has; RangeError for a compression that is unknown */
export function textOf(
  { record }: PalmDatabase,
  { first, count, compression, trailing, huffman }: TextRecords,
): Buffer {
  const decompress =
    compression === 1
      ? (bytes: Buffer) => bytes
      : compression === 2
        ? unpackPalmDoc
        : createHuffman((index) => record(first + index), huffman, largestRecord);
  const parts: Buffer[] = [];
  let length = 0;
  for (let index = 1; index <= count; index += 1) {
    const part = decompress(withoutTrailing(record(first + index), trailing));
    length += part.length;
    if (length > mostText) throw new DocumentLimitError('the text is larger than 64 MiB');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Each entry ends with its length, written backwards in groups of seven bits. */
function withoutTrailing(bytes: Buffer, trailing: number): Buffer {
  let end = bytes.length;
  for (let flags = trailing >>> 1; flags > 0; flags >>>= 1) {
    if ((flags & 1) === 0) continue;
    let size = 0;
    for (let place = 0; place < 4 && end - 1 - place >= 0; place += 1) {
      const byte = bytes[end - 1 - place] as number;
      size |= (byte & 0x7f) << (7 * place);
      if ((byte & 0x80) !== 0) break;
    }
    end = Math.max(0, end - size);
  }
  if ((trailing & 1) !== 0 && end > 0) end = Math.max(0, end - ((bytes[end - 1] as number) & 3) - 1);
  return bytes.subarray(0, end);
}

/** PalmDOC's compression: letters, spaces before letters, and copies of up to ten bytes of what came before. */
function unpackPalmDoc(bytes: Buffer): Buffer {
  const unpacked = Buffer.alloc(largestRecord);
  let length = 0;
  const add = (byte: number): void => {
    if (length < largestRecord) unpacked[length++] = byte;
  };
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === 0 || (byte >= 0x09 && byte < 0x80)) add(byte);
    else if (byte <= 0x08) {
      for (let left = byte; left > 0 && at + 1 < bytes.length; left -= 1) add(bytes[++at] as number);
    } else if (byte >= 0xc0) {
      add(0x20);
      add(byte ^ 0x80);
    } else {
      const pair = ((byte & 0x3f) << 8) | (bytes[++at] ?? 0);
      const distance = pair >>> 3;
      if (distance === 0 || distance > length) continue;
      for (let left = (pair & 7) + 3; left > 0; left -= 1) add(unpacked[length - distance] as number);
    }
  }
  return unpacked.subarray(0, length);
}
