import { createAudioTarget, type Structure } from './audio.ts';

const capture = 'OggS';
const headerBytes = 27;
const checksumOffset = 22;
/** Bytes of a page's first packet, which contains codec headers. */
const packetBytes = 48;

interface Page {
  readonly start: number;
  /** After the segment table. */
  readonly body: number;
  readonly end: number;
}

function pages(bytes: Buffer): Page[] {
  const found: Page[] = [];
  for (let start = bytes.indexOf(capture); start >= 0; start = bytes.indexOf(capture, start + 4)) {
    const segments = bytes[start + headerBytes - 1] ?? 0;
    const body = Math.min(start + headerBytes + segments, bytes.length);
    const size = bytes.subarray(start + headerBytes, body).reduce((sum, length) => sum + length, 0);
    found.push({ start, body, end: Math.min(body + size, bytes.length) });
  }
  return found;
}

/** CRC-32 of polynomial 0x04c11db7, not reflected, initially 0 (RFC 3533). */
function checksum(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  }
  return crc >>> 0;
}

export const target = createAudioTarget({
  files: ['audio/stereo-vorbis.ogg', 'audio/stereo.opus', 'audio/stereo-flac.ogg'],
  structures: (bytes) =>
    pages(bytes).flatMap(({ start, body, end }): Structure[] => [
      { name: `page at ${start}`, start, end: body, order: 'little' },
      { name: `packet at ${body}`, start: body, end: Math.min(body + packetBytes, end), order: 'little' },
    ]),
  repair(bytes) {
    for (const { start, end } of pages(bytes)) {
      if (end - start < headerBytes) continue;
      bytes.writeUInt32LE(0, start + checksumOffset);
      bytes.writeUInt32LE(checksum(bytes.subarray(start, end)), start + checksumOffset);
    }
  },
});
