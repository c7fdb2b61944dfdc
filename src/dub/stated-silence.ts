/** Silence that captions state: a few bytes may state hours. */
import { endOfCues } from '../captions/end-of-cues.ts';
import type { SpokenCue } from '../captions/read-captions.ts';
import { requestError } from '../validation.ts';

/** Seconds that a letter or digit is spoken at most, in any language; other characters may be silent. */
const slowestLetter = 0.25;

/** Longest silence of captions on the user's own machine, in seconds. */
export const longestSilence = 4 * 3600;

/** Seconds before the end of the last caption that its words, and those of all others, cannot take. */
export function statedSilence(cues: readonly SpokenCue[]): number {
  const letters = cues.reduce((sum, { text }) => sum + (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0), 0);
  return Math.max(0, endOfCues(cues) - letters * slowestLetter);
}

/** @throws SvcError INVALID_REQUEST */
export function assertSilence(cues: readonly SpokenCue[], most: number, param?: string): void {
  const seconds = statedSilence(cues);
  if (seconds <= most) return;
  const problem = `the captions state ${Math.round(seconds)} s of silence; the limit is ${most} s`;
  throw requestError(`${problem}: move their times to the part that is spoken`, param);
}
