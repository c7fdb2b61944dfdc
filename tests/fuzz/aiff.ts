import { createMarkedTarget } from './audio.ts';

export const target = createMarkedTarget({
  files: ['audio/mono-16-khz.aiff'],
  marks: ['FORM', 'FVER', 'COMM', 'SSND'],
  // Chunk name, size and the fields of `COMM`.
  bytes: 40,
});
