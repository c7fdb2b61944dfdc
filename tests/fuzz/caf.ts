import { createAudioTarget, type Structure } from './audio.ts';

/** Chunk type, size and the fields of `desc`. */
const chunkBytes = 44;

export const target = createAudioTarget({
  files: ['audio/mono-16-khz.caf'],
  structures: (bytes) =>
    ['caff', 'desc', 'data', 'info'].flatMap((name): Structure[] => {
      const start = bytes.indexOf(name, 0, 'latin1');
      return start < 0 ? [] : [{ name, start, end: Math.min(start + chunkBytes, bytes.length), order: 'big' }];
    }),
});
