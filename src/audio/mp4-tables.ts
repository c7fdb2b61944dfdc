/**
 * The tables of an MP4 file, checked before anybody follows them: Mediabunny believes the counts that they state, and
 * 4,294,967,295 samples in a chunk keep it busy for ever. Layout: ISO/IEC 14496-12.
 */
import { SvcError } from '../errors.ts';

/** Packets of a track: 6 hours of AAC at 48 kHz. */
const mostPackets = 1 << 20;
/** Boxes in boxes; a path to a table has seven. */
const deepest = 12;

/** Boxes that lead to tables. */
const branches = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf', 'edts']);

/** Bytes of an entry, in tables that hold their count and then their entries. */
const entryBytes: Readonly<Record<string, number>> = { stts: 8, ctts: 8, stsc: 12, stss: 4, stco: 4, co64: 8 };

/** @throws SvcError UNSUPPORTED_AUDIO when a table states more than there is, or more than any recording has. */
export function assertSaneTables(bytes: Uint8Array): void {
  walk(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0);
}

function walk(view: DataView, depth: number): void {
  if (depth > deepest) throw damaged('boxes nested too deeply');
  for (let offset = 0; offset + 8 <= view.byteLength; ) {
    const box = readBox(view, offset);
    if (box === undefined) return;
    if (branches.has(box.type)) walk(box.content, depth + 1);
    else checkTable(box.type, box.content);
    offset = box.end;
  }
}

interface Box {
  readonly type: string;
  readonly content: DataView;
  readonly end: number;
}

/** As much of the box as is there; none when its size makes no sense. */
function readBox(view: DataView, offset: number): Box | undefined {
  const stated = view.getUint32(offset);
  const isLong = stated === 1 && offset + 16 <= view.byteLength;
  const header = isLong ? 16 : 8;
  const size = isLong ? Number(view.getBigUint64(offset + 8)) : stated === 0 ? view.byteLength - offset : stated;
  if (size < header) return undefined;
  const end = Math.min(offset + size, view.byteLength);
  const type = String.fromCharCode(...[4, 5, 6, 7].map((index) => view.getUint8(offset + index)));
  const content = new DataView(view.buffer, view.byteOffset + offset + header, end - offset - header);
  return { type, content, end };
}

function checkTable(type: string, content: DataView): void {
  const size = entryBytes[type];
  if (size !== undefined) {
    const count = countAt(content, 4);
    assertRoom(type, count * size, content.byteLength - 8);
    if (type === 'stts' || type === 'ctts' || type === 'stsc') checkRuns(type, content, count, size);
  } else if (type === 'stsz' || type === 'stz2') {
    const count = countAt(content, 8);
    // Of `stsz` the size that all share, of `stz2` the bits of each.
    const field = countAt(content, 4);
    assertPackets(type, count);
    if (type === 'stsz' && field === 0) assertRoom(type, count * 4, content.byteLength - 12);
    if (type === 'stz2') assertRoom(type, (count * (field & 0xff)) / 8, content.byteLength - 12);
  } else if (type === 'trun') {
    assertPackets(type, countAt(content, 4));
  }
}

/** Each entry stands for a number of packets; of `stsc` for those of one chunk. */
function checkRuns(type: string, content: DataView, count: number, size: number): void {
  const field = type === 'stsc' ? 4 : 0;
  let packets = 0;
  for (let entry = 0; entry < count; entry += 1) {
    const run = content.getUint32(8 + entry * size + field);
    packets = type === 'stsc' ? run : packets + run;
    assertPackets(type, packets);
  }
}

/** A table that breaks off has no entries. */
const countAt = (content: DataView, offset: number): number =>
  offset + 4 <= content.byteLength ? content.getUint32(offset) : 0;

function assertRoom(type: string, bytes: number, room: number): void {
  if (bytes > Math.max(0, room)) throw damaged(`a table ${type} that states more entries than it has`);
}

function assertPackets(type: string, count: number): void {
  if (count > mostPackets) throw damaged(`${count} packets in its table ${type}, more than ${mostPackets}`);
}

const damaged = (what: string): SvcError =>
  new SvcError('UNSUPPORTED_AUDIO', `the M4A or MP4 file is damaged: it has ${what}`);
