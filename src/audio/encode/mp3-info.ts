/**
 * The silent first frame of an MP3 stream that states how many samples players should cut at both ends: the "Info" frame of
 * Xing and LAME (http://gabriel.mp3-tech.org/mp3infotag.html).
 *
 * Without it, an utterance gets up to two frames of silence. At first it only contains the cut at the start; its
 * replacement at the end adds the number of frames and the cut at the end.
 */
import { type FrameHeader, readFrameHeader } from '../decode/mp3-frames.ts';
import type { Container } from '../libraries/libav.ts';
import type { EncodedBytes } from '../transform.ts';

/** Delay of LAME in samples (`lame_get_encoder_delay`), without the 529 of decoders. */
const encoderDelay = 576;

/** Concatenates the frames of an encoder after the info frame. */
export function createMp3Stream(): Container {
  let header: InfoHeader | undefined;
  let audioBytes = 0;
  return (packets, moment, samples) => {
    const encoded: EncodedBytes[] = [];
    for (const { data } of packets) {
      if (header === undefined) {
        header = readHeader(data);
        encoded.push({ bytes: infoFrame(header) });
      }
      audioBytes += data.length;
      encoded.push({ bytes: data });
    }
    if (moment === 'end' && header !== undefined) {
      // Frames differ only by the padding byte.
      const frames = Math.round(audioBytes / header.meanBytes);
      const endPadding = frames * header.samples - samples - encoderDelay;
      encoded.push({ position: 0, bytes: infoFrame(header, { frames, endPadding, audioBytes }) });
    }
    return encoded;
  };
}

interface InfoHeader extends FrameHeader {
  readonly bytes: Uint8Array;
  /** Size of header and side information in bytes. */
  readonly sideEnd: number;
}

/** Reads the header of a mono frame, as one without padding byte and checksum. */
function readHeader(frame: Uint8Array): InfoHeader {
  const header = readFrameHeader(frame) as FrameHeader;
  const [, second = 0, third = 0, fourth = 0] = frame;
  const bytes = Uint8Array.of(0xff, second | 1, third & ~2, fourth);
  return { ...header, bytes, sideEnd: 4 + (header.generation === 1 ? 17 : 9) };
}

type Totals = { readonly frames: number; readonly endPadding: number; readonly audioBytes: number };

function infoFrame(header: InfoHeader, totals?: Totals): Uint8Array {
  const frame = new Uint8Array(Math.floor(header.meanBytes));
  const view = new DataView(frame.buffer);
  const text = (position: number, value: string): void => frame.set(new TextEncoder().encode(value), position);
  frame.set(header.bytes);
  text(header.sideEnd, 'Info');
  // The counts of frames and bytes are always reserved, so that both versions have the same size.
  if (totals !== undefined) {
    view.setUint32(header.sideEnd + 4, 3);
    view.setUint32(header.sideEnd + 8, totals.frames);
    view.setUint32(header.sideEnd + 12, totals.audioBytes + frame.length);
  }
  const tag = header.sideEnd + (totals === undefined ? 8 : 16);
  text(tag, 'LAME3.100');
  frame[tag + 9] = constantBitRate;
  // The upper byte is an unknown bit rate, then delay and padding of 12 bits each.
  view.setUint32(tag + 20, (encoderDelay << 12) | (totals?.endPadding ?? 0));
  view.setUint32(tag + 28, totals === undefined ? 0 : totals.audioBytes + frame.length);
  view.setUint16(tag + 34, checksum(frame.subarray(0, tag + 34)));
  return frame;
}

/** Revision 0 of the tag, method 1. */
const constantBitRate = 1;

/** LAME's CRC-16 (polynomial 0x8005, reflected, initially 0). */
function checksum(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
  }
  return crc;
}
