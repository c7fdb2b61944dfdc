/** Small Mobipocket and Kindle books for tests, as the MobileRead wiki describes their records. */
import { writeFile } from 'node:fs/promises';
import { compressHuffman } from './write-huffman.ts';

export interface MobiOptions {
  /** 0 is none, 2 that of a shop. */
  readonly encryption?: number;
  /** 1 is none, 2 PalmDOC's, 17480 Huffman codes. */
  readonly compression?: 1 | 2 | 17_480;
  /** Titles, and the words that they are in front of. */
  readonly contents?: readonly (readonly [title: string, words: string, depth?: number])[];
}

const none = 0xffffffff;
const recordSize = 4096;

interface Header {
  readonly compression: number;
  readonly encryption: number;
  readonly version: number;
  readonly length: number;
  readonly records: number;
  /** 32-bit numbers by their place in the record. */
  readonly numbers: Readonly<Record<number, number>>;
}

function headerRecord({ compression, encryption, version, length, records, numbers }: Header): Buffer {
  const header = Buffer.alloc(16 + 264, 0);
  header.writeUInt16BE(compression, 0);
  header.writeUInt32BE(length, 4);
  header.writeUInt16BE(records, 8);
  header.writeUInt16BE(recordSize, 10);
  header.writeUInt16BE(encryption, 12);
  header.write('MOBI', 16, 'latin1');
  header.writeUInt32BE(264, 20);
  header.writeUInt32BE(65_001, 28);
  header.writeUInt32BE(version, 36);
  for (const at of [108, 192, 244, 248, 252]) header.writeUInt32BE(none, at);
  for (const [at, value] of Object.entries(numbers)) header.writeUInt32BE(value, Number(at));
  return header;
}

async function writeRecords(path: string, records: readonly Buffer[]): Promise<string> {
  const palm = Buffer.alloc(78 + records.length * 8);
  palm.write('BOOKMOBI', 60, 'latin1');
  palm.writeUInt16BE(records.length, 76);
  let place = palm.length;
  for (const [index, record] of records.entries()) {
    palm.writeUInt32BE(place, 78 + index * 8);
    place += record.length;
  }
  await writeFile(path, Buffer.concat([palm, ...records]));
  return path;
}

const piecesOf = (text: Buffer): readonly Buffer[] =>
  Array.from({ length: Math.ceil(text.length / recordSize) }, (_, at) =>
    text.subarray(at * recordSize, (at + 1) * recordSize),
  );

/** A book of records of 4,096 bytes of text. */
export async function writeMobi(path: string, html: string, options: MobiOptions = {}): Promise<string> {
  const { encryption = 0, compression = 1, contents } = options;
  const text = Buffer.from(html);
  const pieces = piecesOf(text);
  const huffman = compression === 17_480 ? compressHuffman(pieces) : undefined;
  const records = compression === 2 ? pieces.map(compressPalmDoc) : (huffman?.records ?? pieces);
  const numbers: Record<number, number> = {};
  const all = [...records];
  if (huffman !== undefined) {
    numbers[112] = all.length + 1;
    numbers[116] = huffman.tables.length;
    all.push(...huffman.tables);
  }
  if (contents !== undefined) {
    numbers[244] = all.length + 1;
    const titles = contents.map(([title]) => title);
    const entries = contents.map(([, words, depth = 0], index) => ({
      name: String(index),
      values: [[text.indexOf(words)], [offsetsOf(titles)[index] ?? 0], [depth]],
    }));
    all.push(...indexRecords([{ tag: 1 }, { tag: 3 }, { tag: 4 }], entries, titles));
  }
  const counts = { length: text.length, records: records.length, numbers };
  return writeRecords(path, [headerRecord({ compression, encryption, version: 6, ...counts }), ...all]);
}

/** A page of a Kindle book: its skeleton with `|` where each fragment belongs. */
export type KindlePage = readonly [skeleton: string, ...fragments: string[]];

/**
 * A book of Kindle's later format.
 *
 * @param contents titles with the number of their fragment, and the place in it
 */
export async function writeKindle(
  path: string,
  pages: readonly KindlePage[],
  { contents, sheet }: { readonly contents: readonly (readonly [string, number, number])[]; readonly sheet: string },
): Promise<string> {
  const skeletons: { name: string; values: number[][] }[] = [];
  const fragments: { name: string; values: number[][] }[] = [];
  let source = '';
  for (const [index, [skeleton, ...parts]] of pages.entries()) {
    const start = Buffer.byteLength(source);
    const bare = skeleton.replaceAll('|', '');
    source += bare;
    const cuts = skeleton.split('|');
    let place = start;
    for (const [number, part] of parts.entries()) {
      place += Buffer.byteLength(cuts[number] ?? '');
      fragments.push({ name: String(place).padStart(10, '0'), values: [[0, Buffer.byteLength(part)]] });
      place += Buffer.byteLength(part);
      source += part;
    }
    skeletons.push({ name: `SKEL${index}`, values: [[parts.length], [start, Buffer.byteLength(bare)]] });
  }
  const flows = [Buffer.from(source), Buffer.from(sheet)];
  const text = Buffer.concat(flows);
  const records = piecesOf(text);
  const titles = contents.map(([title]) => title);
  const entries = contents.map(([, fragment, offset], index) => ({
    name: String(index),
    values: [[offsetsOf(titles)[index] ?? 0], [0], [fragment, offset]],
  }));
  const tables = [
    { at: 248, table: indexRecords([{ tag: 6, each: 2 }], fragments) },
    { at: 252, table: indexRecords([{ tag: 1 }, { tag: 6, each: 2 }], skeletons) },
    { at: 244, table: indexRecords([{ tag: 3 }, { tag: 4 }, { tag: 6, each: 2 }], entries, titles) },
    { at: 192, table: [flowTable(flows)] },
  ];
  const numbers: Record<number, number> = {};
  const all = [...records];
  for (const { at, table } of tables) {
    numbers[at] = all.length + 1;
    all.push(...table);
  }
  const counts = { length: text.length, records: records.length, numbers };
  return writeRecords(path, [headerRecord({ compression: 1, encryption: 0, version: 8, ...counts }), ...all]);
}

function flowTable(flows: readonly Buffer[]): Buffer {
  const table = Buffer.alloc(12 + flows.length * 8);
  table.write('FDST', 0, 'latin1');
  table.writeUInt32BE(12, 4);
  table.writeUInt32BE(flows.length, 8);
  let at = 0;
  for (const [index, flow] of flows.entries()) {
    table.writeUInt32BE(at, 12 + index * 8);
    at += flow.length;
    table.writeUInt32BE(at, 16 + index * 8);
  }
  return table;
}

/** Where each text begins in the record of texts. */
function offsetsOf(texts: readonly string[]): readonly number[] {
  let at = 0;
  return texts.map((text) => {
    const own = at;
    at += forwards(Buffer.byteLength(text)).length + Buffer.byteLength(text);
    return own;
  });
}

interface IndexTag {
  readonly tag: number;
  readonly each?: number;
}

/** The records of a table: what its tags are, its entries, and its texts. */
function indexRecords(
  tags: readonly IndexTag[],
  entries: readonly { readonly name: string; readonly values: readonly (readonly number[])[] }[],
  texts: readonly string[] = [],
): readonly Buffer[] {
  const head = Buffer.alloc(192);
  head.write('INDX', 0, 'latin1');
  head.writeUInt32BE(192, 4);
  head.writeUInt32BE(1, 24);
  head.writeUInt32BE(texts.length === 0 ? 0 : 1, 52);
  const listed = tags.flatMap(({ tag, each = 1 }, index) => [tag, each, 1 << index, 0]);
  const tagx = Buffer.alloc(12);
  tagx.write('TAGX', 0, 'latin1');
  tagx.writeUInt32BE(12 + listed.length + 4, 4);
  tagx.writeUInt32BE(1, 8);
  const body = Buffer.alloc(192);
  body.write('INDX', 0, 'latin1');
  const written = entries.map(({ name, values }) =>
    Buffer.concat([
      Buffer.from([name.length]),
      Buffer.from(name, 'latin1'),
      Buffer.from([(1 << tags.length) - 1]),
      ...values.flat().map(forwards),
    ]),
  );
  const offsets = Buffer.alloc(4 + written.length * 2);
  offsets.write('IDXT', 0, 'latin1');
  let at = body.length;
  for (const [index, entry] of written.entries()) {
    offsets.writeUInt16BE(at, 4 + index * 2);
    at += entry.length;
  }
  body.writeUInt32BE(at, 20);
  body.writeUInt32BE(written.length, 24);
  const page = Buffer.concat(
    texts.map((text) => Buffer.concat([forwards(Buffer.byteLength(text)), Buffer.from(text)])),
  );
  const records = [
    Buffer.concat([head, tagx, Buffer.from([...listed, 0, 0, 0, 1])]),
    Buffer.concat([body, ...written, offsets]),
  ];
  return texts.length === 0 ? records : [...records, page];
}

/** In groups of seven bits, of which the last has the highest bit. */
function forwards(value: number): Buffer {
  const groups = [(value & 0x7f) | 0x80];
  for (let left = value >>> 7; left > 0; left >>>= 7) groups.unshift(left & 0x7f);
  return Buffer.from(groups);
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
