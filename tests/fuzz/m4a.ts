import { createAudioTarget, type Structure } from './audio.ts';

const boxes = ['ftyp', 'moov', 'mvhd', 'trak', 'tkhd', 'edts', 'elst', 'mdia', 'mdhd', 'hdlr', 'minf', 'stbl', 'stsd'];
const tables = ['stts', 'stsc', 'stsz', 'stco', 'sgpd', 'sbgp', 'mp4a', 'esds', 'mdat'];
/** Bytes of a box, from its size on: more than the fields that describe its layout. */
const reach = 64;

export const target = createAudioTarget({
  files: ['audio/stereo.m4a', 'audio/mono-16-khz.m4a'],
  structures: (bytes) =>
    [...boxes, ...tables].flatMap((name): Structure[] => {
      const at = bytes.indexOf(name, 0, 'latin1');
      if (at < 4) return [];
      return [{ name, start: at - 4, end: Math.min(at - 4 + reach, bytes.length), order: 'big' }];
    }),
});
