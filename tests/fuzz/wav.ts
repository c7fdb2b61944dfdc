import { createAudioTarget, type Structure } from './audio.ts';

/** Chunk name, size and the fields of `fmt `. */
const chunkBytes = 48;

export const target = createAudioTarget({
  files: ['tiny-v1/prompt_b.wav', 'tiny-v1/ref.wav'],
  structures: (bytes) =>
    ['RIFF', 'fmt ', 'data', 'LIST'].flatMap((name): Structure[] => {
      const start = bytes.indexOf(name, 0, 'latin1');
      return start < 0 ? [] : [{ name, start, end: Math.min(start + chunkBytes, bytes.length), order: 'little' }];
    }),
});
