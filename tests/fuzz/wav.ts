import { createMarkedTarget } from './audio.ts';

export const target = createMarkedTarget({
  files: ['tiny-v1/prompt_b.wav', 'tiny-v1/ref.wav'],
  marks: ['RIFF', 'fmt ', 'data', 'LIST'],
  // Chunk name, size and the fields of `fmt `.
  bytes: 48,
  order: 'little',
});
