import type { Audio } from '../audio/audio.ts';

/**
 * Turns speech into text, for the check of words. It may be called concurrently and must settle soon after the signal
 * fires. A rejection leaves the speech unchecked, with a warning.
 */
export type Recognize = (audio: Pick<Audio, 'samples' | 'sampleRate'>, signal: AbortSignal) => Promise<string>;
