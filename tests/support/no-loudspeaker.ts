import type { Loudspeaker } from '../../src/cli/io.ts';
import { SvcError } from '../../src/errors.ts';

/** A machine without an audio output. */
export const noLoudspeaker: Loudspeaker = {
  find: async () => ({ name: 'playback', status: 'missing', summary: 'no audio device' }),
  open: () => Promise.reject(new SvcError('PLAYBACK_UNAVAILABLE', 'no audio device')),
};
