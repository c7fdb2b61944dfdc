/** The second compression of Mobipocket: Huffman codes of phrases, which may be made of phrases (HUFF and CDIC records). */
import { DocumentLimitError } from '../document-file.ts';

/** Phrases within phrases. */
const deepest = 32;
const mostPhrases = 1 << 20;
/** Bytes of all phrases that are unpacked to be kept. */
const mostKept = 64 * 1024 * 1024;

interface Phrase {
  bytes: Buffer;
  isUnpacked: boolean;
}

/** @param most bytes of an unpacked record */
export function createHuffman(
  record: (index: number) => Buffer,
  { first, count }: { readonly first: number; readonly count: number },
  most: number,
): (bytes: Buffer) => Buffer {
  const huff = record(first);
  if (huff.toString('latin1', 0, 4) !== 'HUFF') throw new RangeError('the compression of the book is unknown');
  const [short, long] = [huff.readUInt32BE(8), huff.readUInt32BE(12)];
  /** Codes by the next eight bits: whether they hold a whole code, its length, and the largest code of this length. */
  const byPrefix = Array.from({ length: 256 }, (_, index) => huff.readUInt32BE(short + index * 4));
  const codes = (place: number): readonly number[] =>
    Array.from({ length: 33 }, (_, bits) => (bits === 0 ? 0 : huff.readUInt32BE(long + (bits - 1) * 8 + place)));
  const [smallest, largest] = [codes(0), codes(4)];
  const phrases: Phrase[] = [];
  for (let index = 1; index < count; index += 1) addPhrases(phrases, record(first + index));
  let kept = 0;

  function unpack(bytes: Buffer, depth: number): Buffer {
    if (depth > deepest) throw new DocumentLimitError('its phrases are nested too deeply');
    const parts: Buffer[] = [];
    let length = 0;
    const bits = bytes.length * 8;
    for (let at = 0; at < bits; ) {
      const window = bitsAt(bytes, at);
      const entry = byPrefix[window >>> 24] as number;
      let size = entry & 0x1f;
      let top = entry >>> 8;
      if (size === 0) throw new RangeError('a code has no bits');
      if ((entry & 0x80) === 0) {
        while (size < 32 && window >>> (32 - size) < (smallest[size] as number)) size += 1;
        top = largest[size] as number;
      }
      at += size;
      if (at > bits) break;
      const phrase = phrases[top - (window >>> (32 - size))];
      if (phrase === undefined) throw new RangeError('a code has no phrase');
      if (!phrase.isUnpacked) {
        const whole = unpack(phrase.bytes, depth + 1);
        kept += whole.length;
        if (kept > mostKept) throw new DocumentLimitError('its phrases are larger than 64 MiB');
        phrase.bytes = whole;
        phrase.isUnpacked = true;
      }
      length += phrase.bytes.length;
      if (length > most) throw new DocumentLimitError('a record of its text is too large');
      parts.push(phrase.bytes);
    }
    return Buffer.concat(parts);
  }
  return (bytes) => unpack(bytes, 0);
}

function addPhrases(phrases: Phrase[], record: Buffer): void {
  if (record.toString('latin1', 0, 4) !== 'CDIC') throw new RangeError('its phrases are missing');
  const start = record.readUInt32BE(4);
  const [total, bits] = [record.readUInt32BE(8), record.readUInt32BE(12)];
  const count = Math.min(2 ** Math.min(20, bits), total - phrases.length, mostPhrases - phrases.length);
  for (let index = 0; index < count; index += 1) {
    const at = start + record.readUInt16BE(start + index * 2);
    const length = record.readUInt16BE(at);
    const end = at + 2 + (length & 0x7fff);
    phrases.push({ bytes: record.subarray(at + 2, end), isUnpacked: (length & 0x8000) !== 0 });
  }
}

/** 32 bits, with zeros behind the end. */
function bitsAt(bytes: Buffer, at: number): number {
  const start = at >>> 3;
  const shift = at & 7;
  const byte = (index: number): number => bytes[start + index] ?? 0;
  const high = ((byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3)) >>> 0;
  return shift === 0 ? high : ((high << shift) | (byte(4) >>> (8 - shift))) >>> 0;
}
