/**
 * Validates the tables of an MP4 file (ISO/IEC 14496-12) before use: Mediabunny trusts their counts, and 4,294,967,295
 * samples in a chunk would keep it busy forever.
 */
import { SvcError } from '../../errors.ts';

/** Maximum number of packets in a track: 6 hours of AAC at 48 kHz. */
const maxPackets = 1 << 20;
/** Maximum nesting of boxes; tables are seven deep. */
const deepest = 12;

/** Boxes that contain tables. */
const branches = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf', 'edts']);

/** Entry sizes in bytes, for tables of a count followed by entries. */
const entryBytes: Readonly<Record<string, number>> = { stts: 8, ctts: 8, stsc: 12, stss: 4, stco: 4, co64: 8 };

/** @throws SvcError UNSUPPORTED_AUDIO if a table claims more entries than it has, or more than any recording has */
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

/** The available part of a box; undefined if its size is invalid. */
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
    // The common size in `stsz`, the bits per size in `stz2`.
    const field = countAt(content, 4);
    assertPackets(type, count);
    if (type === 'stsz' && field === 0) assertRoom(type, count * 4, content.byteLength - 12);
    if (type === 'stz2') assertRoom(type, (count * (field & 0xff)) / 8, content.byteLength - 12);
  } else if (type === 'trun') {
    assertPackets(type, countAt(content, 4));
  }
}

/** Each entry counts a number of packets; in `stsc` those of one chunk. */
function checkRuns(type: string, content: DataView, count: number, size: number): void {
  const field = type === 'stsc' ? 4 : 0;
  let packets = 0;
  for (let entry = 0; entry < count; entry += 1) {
    const run = content.getUint32(8 + entry * size + field);
    packets = type === 'stsc' ? run : packets + run;
    assertPackets(type, packets);
  }
}

/** A truncated table has no entries. */
const countAt = (content: DataView, offset: number): number =>
  offset + 4 <= content.byteLength ? content.getUint32(offset) : 0;

function assertRoom(type: string, bytes: number, room: number): void {
  if (bytes > Math.max(0, room)) throw damaged(`its table ${type} claims more entries than it has`);
}

function assertPackets(type: string, count: number): void {
  if (count > maxPackets) throw damaged(`its table ${type} has ${count} packets, more than ${maxPackets}`);
}

const damaged = (problem: string): SvcError =>
  new SvcError('UNSUPPORTED_AUDIO', `the M4A or MP4 file is damaged: ${problem}`);
