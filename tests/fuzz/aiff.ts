import { createAudioTarget, type Structure } from './audio.ts';

/** Chunk name, size and the fields of `COMM`. */
const chunkBytes = 40;

export const target = createAudioTarget({
  files: ['audio/stereo-24-bit.aiff', 'audio/stereo-sowt.aifc', 'audio/stereo-float.aifc', 'audio/stereo-ulaw.aifc'],
  structures: (bytes) =>
    ['FORM', 'FVER', 'COMM', 'SSND'].flatMap((name): Structure[] => {
      const start = bytes.indexOf(name, 0, 'latin1');
      return start < 0 ? [] : [{ name, start, end: Math.min(start + chunkBytes, bytes.length), order: 'big' }];
    }),
});
