import { createMarkedTarget } from './audio.ts';

export const target = createMarkedTarget({
  files: ['audio/mono-16-khz.caf'],
  marks: ['caff', 'desc', 'data', 'info'],
  // Chunk type, size and the fields of `desc`.
  bytes: 44,
});
