/** Validates the tables of an MP4 file (ISO/IEC 14496-12): Mediabunny trusts their counts, and could count forever. */
import { boxesOf, viewOf } from '../mp4-boxes.ts';
import { unsupported } from './decode-limits.ts';

/** Maximum number of packets in a track: 6 hours of AAC at 48 kHz. */
const maxPackets = 1 << 20;
/** Maximum nesting of boxes; tables are seven deep. */
const deepest = 12;

/** Boxes that contain tables. */
const branches = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf', 'edts']);

/** Entry sizes in bytes, for tables of a count followed by entries. */
const entryBytes: Readonly<Record<string, number>> = { stts: 8, ctts: 8, stsc: 12, stss: 4, stco: 4, co64: 8 };

/** @throws SvcError UNSUPPORTED_AUDIO if a table claims more entries than it has, or more than any recording has */
export function assertSaneTables(bytes: Uint8Array, depth = 0): void {
  if (depth > deepest) throw damaged('boxes nested too deeply');
  for (const { type, content } of boxesOf(bytes)) {
    if (branches.has(type)) assertSaneTables(content, depth + 1);
    else checkTable(type, viewOf(content));
  }
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

const damaged = (problem: string) => unsupported(`the M4A or MP4 file is damaged: ${problem}`);
