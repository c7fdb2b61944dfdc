/** Small Mobipocket books for tests. */
import { writeFile } from 'node:fs/promises';

export interface MobiOptions {
  /** 0 is none, 2 that of a shop. */
  readonly encryption?: number;
  /** 1 is none, 2 PalmDOC's. */
  readonly compression?: 1 | 2;
}

/** A book of records of 4,096 bytes of text. */
export async function writeMobi(path: string, html: string, options: MobiOptions = {}): Promise<string> {
  const { encryption = 0, compression = 1 } = options;
  const text = Buffer.from(html);
  const pieces = Array.from({ length: Math.ceil(text.length / 4096) }, (_, at) =>
    text.subarray(at * 4096, (at + 1) * 4096),
  );
  const records = compression === 2 ? pieces.map(compressPalmDoc) : pieces;
  const header = Buffer.alloc(16 + 232);
  header.writeUInt16BE(compression, 0);
  header.writeUInt32BE(text.length, 4);
  header.writeUInt16BE(records.length, 8);
  header.writeUInt16BE(4096, 10);
  header.writeUInt16BE(encryption, 12);
  header.write('MOBI', 16, 'latin1');
  header.writeUInt32BE(232, 20);
  header.writeUInt32BE(65_001, 28);
  header.writeUInt32BE(6, 36);
  header.writeUInt32BE(0xffffffff, 244);
  const all = [header, ...records];
  const palm = Buffer.alloc(78 + all.length * 8);
  palm.write('BOOKMOBI', 60, 'latin1');
  palm.writeUInt16BE(all.length, 76);
  let place = palm.length;
  for (const [index, record] of all.entries()) {
    palm.writeUInt32BE(place, 78 + index * 8);
    place += record.length;
  }
  await writeFile(path, Buffer.concat([palm, ...all]));
  return path;
}

/** As Palm's readers expect it: pairs of distance and length, spaces within a byte, and other bytes as they are. */
function compressPalmDoc(text: Buffer): Buffer {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; ) {
    const [byte = 0, next = 0] = text.subarray(at, at + 2);
    const earlier = text.subarray(Math.max(0, at - 2047), at);
    let [length, distance] = [0, 0];
    for (let most = Math.min(10, text.length - at); most >= 3 && length === 0; most -= 1) {
      const found = earlier.lastIndexOf(text.subarray(at, at + most));
      if (found !== -1) [length, distance] = [most, earlier.length - found];
    }
    if (length > 0) {
      const pair = 0x8000 | (distance << 3) | (length - 3);
      bytes.push(pair >> 8, pair & 0xff);
      at += length;
    } else if (byte === 0x20 && next >= 0x40 && next < 0x80) {
      bytes.push(next ^ 0x80);
      at += 2;
    } else {
      if (byte === 0 || (byte >= 0x09 && byte < 0x80)) bytes.push(byte);
      else bytes.push(1, byte);
      at += 1;
    }
  }
  return Buffer.from(bytes);
}
