/** Detects the format of a file by its first bytes; names and extensions are not trusted. */
import { findMp3 } from './mp3-frames.ts';

export type Container = 'wav' | 'mp3' | 'adts' | 'flac' | 'ogg' | 'mp4' | 'webm' | 'aiff' | 'caf';

interface Signature {
  readonly pattern: RegExp;
  readonly name: string;
  /** Undefined for unsupported formats, which are named in messages. */
  readonly container?: Container;
}

const signatures: readonly Signature[] = [
  { pattern: /^(RIFF|RF64|BW64).{4}WAVE/s, name: 'WAV file', container: 'wav' },
  { pattern: /^\xff[\xf0\xf1\xf8\xf9]/, name: 'AAC file', container: 'adts' },
  { pattern: /^ID3|^\xff[\xe2-\xe7\xf2-\xf7\xfa-\xff]/, name: 'MP3 file', container: 'mp3' },
  { pattern: /^fLaC/, name: 'FLAC file', container: 'flac' },
  { pattern: /^OggS/, name: 'OGG file', container: 'ogg' },
  { pattern: /^.{4}ftyp/s, name: 'M4A or MP4 file', container: 'mp4' },
  { pattern: /^FORM.{4}AIF[FC]/s, name: 'AIFF file', container: 'aiff' },
  { pattern: /^RIFX/, name: 'big-endian WAV file' },
  { pattern: /^RIFF/, name: 'RIFF file that is not WAV' },
  { pattern: /^.E\xdf\xa3/s, name: 'WebM or Matroska file', container: 'webm' },
  { pattern: /^caff/, name: 'CAF file', container: 'caf' },
  { pattern: /^\.snd/, name: 'AU file' },
];

const find = (bytes: Uint8Array): Signature | undefined => {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  return signatures.find(({ pattern }) => pattern.test(start));
};

/** Length of the header of an ID3v2 tag, and of its footer. */
const tagHeader = 10;
/** Length of an ID3v1 tag. */
const lastTag = 128;

/**
 * The file behind its ID3v2 tags, which programs put in front of any format; unchanged if nothing follows them. Behind bytes
 * of no format, what follows may be MP3.
 */
export function withoutTags(bytes: Uint8Array): Uint8Array {
  let start = 0;
  for (;;) {
    // Some programs put an ID3v1 tag in front.
    if (isLastTag(bytes.subarray(start, start + lastTag))) start += lastTag;
    const header = bytes.subarray(start, start + tagHeader);
    if (String.fromCharCode(...header.subarray(0, 3)) !== 'ID3' || header.length < tagHeader) break;
    // Seven bits of each byte.
    const size = header.subarray(6).reduce((sum, byte) => sum * 128 + (byte & 127), 0);
    const hasFooter = ((header[5] as number) & 16) !== 0;
    start += tagHeader + size + (hasFooter ? tagHeader : 0);
  }
  const rest = withoutLastTag(bytes.subarray(start));
  if (find(rest) !== undefined) return rest;
  const frames = findMp3(rest);
  return frames === undefined ? bytes : rest.subarray(frames);
}

const isLastTag = (bytes: Uint8Array): boolean => String.fromCharCode(...bytes.subarray(0, 3)) === 'TAG';

/** FLAC ends with its last frame, which the decoder would lose for the ID3v1 tag that some programs put behind it. */
function withoutLastTag(bytes: Uint8Array): Uint8Array {
  const tag = bytes.subarray(-lastTag);
  return bytes.length > lastTag && isLastTag(tag) && find(bytes)?.container === 'flac'
    ? bytes.subarray(0, -lastTag)
    : bytes;
}

/** Undefined for unsupported formats. An ID3 tag counts as MP3. */
export const recognize = (bytes: Uint8Array): Container | undefined => find(bytes)?.container;

/** The kind of file for messages, such as `MP3 file`. */
export const describeBytes = (bytes: Uint8Array): string =>
  bytes.length === 0 ? 'empty file' : (find(bytes)?.name ?? `unknown file of ${bytes.length} bytes`);
