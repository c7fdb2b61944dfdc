/** What a file is by its first bytes; names and extensions are not believed. */

export type Container = 'wav' | 'mp3' | 'adts' | 'flac' | 'ogg' | 'mp4';

interface Signature {
  readonly pattern: RegExp;
  readonly name: string;
  /** None for what is only named in messages. */
  readonly container?: Container;
}

const signatures: readonly Signature[] = [
  { pattern: /^(RIFF|RF64|BW64).{4}WAVE/s, name: 'a WAV file', container: 'wav' },
  { pattern: /^\xff[\xf0\xf1\xf8\xf9]/, name: 'an AAC file', container: 'adts' },
  { pattern: /^ID3|^\xff[\xe2-\xe7\xf2-\xf7\xfa-\xff]/, name: 'an MP3 file', container: 'mp3' },
  { pattern: /^fLaC/, name: 'a FLAC file', container: 'flac' },
  { pattern: /^OggS/, name: 'an OGG file', container: 'ogg' },
  { pattern: /^.{4}ftyp/s, name: 'an M4A or MP4 file', container: 'mp4' },
  { pattern: /^FORM.{4}AIF/s, name: 'an AIFF file' },
  { pattern: /^RIFX/, name: 'a big-endian WAV file' },
  { pattern: /^RIFF/, name: 'a RIFF file that is not WAV' },
  { pattern: /^.E\xdf\xa3/, name: 'a WebM or Matroska file' },
  { pattern: /^caff/, name: 'a CAF file' },
  { pattern: /^\.snd/, name: 'an AU file' },
];

const find = (bytes: Uint8Array): Signature | undefined => {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  return signatures.find(({ pattern }) => pattern.test(start));
};

/** Undefined for everything that is not read. An ID3 tag counts as MP3, whatever follows it. */
export const recognize = (bytes: Uint8Array): Container | undefined => find(bytes)?.container;

/** The received part of a message. */
export const describeBytes = (bytes: Uint8Array): string =>
  bytes.length === 0 ? 'an empty file' : (find(bytes)?.name ?? `${bytes.length} bytes of another kind`);
