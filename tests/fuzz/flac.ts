import { createAudioTarget, type Structure } from './audio.ts';

/** `fLaC`, the header of the first block, and `STREAMINFO`. */
const streamInfo: Structure = { name: 'STREAMINFO', start: 4, end: 42, order: 'big' };

/** Sync codes of frames with fixed and with variable block size. */
const isFrame = (bytes: Buffer, at: number): boolean => bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xfe) === 0xf8;

function frames(bytes: Buffer): Structure[] {
  const found: Structure[] = [];
  for (let at = 42; at < bytes.length - 16; at += 1) {
    if (isFrame(bytes, at)) found.push({ name: `frame at ${at}`, start: at, end: at + 16, order: 'big' });
  }
  return found;
}

/** Metadata blocks after `STREAMINFO`. */
function blocks(bytes: Buffer): Structure[] {
  const found: Structure[] = [];
  for (let at = 4; at + 4 < bytes.length; ) {
    const end = at + 4 + bytes.readUIntBE(at + 1, 3);
    found.push({ name: `block at ${at}`, start: at, end: Math.min(end, at + 48, bytes.length), order: 'big' });
    if ((bytes[at] ?? 0) & 0x80) break;
    at = end;
  }
  return found;
}

export const target = createAudioTarget({
  files: ['audio/stereo-24-bit.flac'],
  structures: (bytes) => [streamInfo, ...blocks(bytes), ...frames(bytes)],
});
