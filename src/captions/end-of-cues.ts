import type { SpokenCue } from './read-captions.ts';

/** When the last caption ends, in seconds. */
export const endOfCues = (cues: readonly Pick<SpokenCue, 'end'>[]): number =>
  cues.reduce((last, { end }) => Math.max(last, end), 0);
