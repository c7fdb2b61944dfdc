import { createAudioTarget, type Structure } from './audio.ts';

/** Chunk name, size and the fields of `COMM`. */
const chunkBytes = 40;

export const target = createAudioTarget({
  files: ['audio/mono-16-khz.aiff'],
  structures: (bytes) =>
    ['FORM', 'FVER', 'COMM', 'SSND'].flatMap((name): Structure[] => {
      const start = bytes.indexOf(name, 0, 'latin1');
      return start < 0 ? [] : [{ name, start, end: Math.min(start + chunkBytes, bytes.length), order: 'big' }];
    }),
});
