import { createMarkedTarget } from './audio.ts';

const boxes = ['ftyp', 'moov', 'mvhd', 'trak', 'tkhd', 'edts', 'elst', 'mdia', 'mdhd', 'hdlr', 'minf', 'stbl', 'stsd'];
const tables = ['stts', 'stsc', 'stsz', 'stco', 'sgpd', 'sbgp', 'mp4a', 'esds', 'mdat'];

export const target = createMarkedTarget({
  files: ['audio/stereo.m4a', 'audio/mono-16-khz.m4a'],
  marks: [...boxes, ...tables],
  // Its size comes before its name.
  before: 4,
  // More than the fields that describe the layout of a box.
  bytes: 64,
});
