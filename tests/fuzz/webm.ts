import { createMarkedTarget } from './audio.ts';

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

export const target = createMarkedTarget({
  files: ['audio/stereo.webm', 'audio/stereo-vorbis.webm', 'audio/mediarecorder.webm'],
  marks: Object.values(elements),
  encoding: 'hex',
  // From the ID of an element on: more than its size and its first fields.
  bytes: 48,
});
