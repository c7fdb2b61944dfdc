import { createAudioTarget, type Structure } from './audio.ts';

/** IDs of the elements that determine how the rest is read. */
const elements = {
  EBML: '1a45dfa3',
  Segment: '18538067',
  Info: '1549a966',
  Tracks: '1654ae6b',
  CodecPrivate: '63a2',
  Audio: 'e1',
  Cluster: '1f43b675',
  SimpleBlock: 'a3',
  Cues: '1c53bb6b',
} as const;
/** Bytes from the ID of an element on: more than its size and its first fields. */
const reach = 48;

export const target = createAudioTarget({
  files: ['audio/stereo.webm', 'audio/stereo-vorbis.webm', 'audio/mediarecorder.webm'],
  structures: (bytes) =>
    Object.entries(elements).flatMap(([name, id]): Structure[] => {
      const start = bytes.indexOf(id, 0, 'hex');
      return start < 0 ? [] : [{ name, start, end: Math.min(start + reach, bytes.length), order: 'big' }];
    }),
});
