/** How loud a file is to be. */
import { show } from '../../messages.ts';
import { invalid, type Range } from '../../validation.ts';

export interface LoudnessTarget {
  /** Integrated, in LUFS (ITU-R BS.1770). */
  readonly loudness: number;
  /** No peak is higher, between samples neither, in dB below full scale. */
  readonly truePeak: number;
}

const range: Range = { kind: 'number', minimum: -36, maximum: -9 };
export const truePeakRange: Range = { kind: 'number', minimum: -20, maximum: -0.5 };
const usualTruePeak = -3;

/** Gain that LAME applies to all audio, against clipping: a factor of 0.95. Other encoders change nothing. */
export const encoderGain = (format: string): number => (format === 'mp3' ? 20 * Math.log10(0.95) : 0);

/** Targets of the platforms: ACX asks for an RMS of -23 to -18 dB, Apple and Spotify for -16 and -14 LUFS. */
export const namedTargets = {
  audiobook: { loudness: -20, truePeak: -3.5 },
  podcast: { loudness: -16, truePeak: -1 },
} as const satisfies Record<string, LoudnessTarget>;

/** A target by its name, or a number in LUFS. @throws SvcError INVALID_REQUEST */
export function parseLoudness(text: string, flag: string): LoudnessTarget {
  const name = text.toLowerCase();
  if (name === 'audiobook' || name === 'podcast') return namedTargets[name];
  const loudness = /^-\d{1,2}(?:\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (loudness >= range.minimum && loudness <= range.maximum) return { loudness, truePeak: usualTruePeak };
  throw invalid(`audiobook, podcast, or ${range.minimum} to ${range.maximum} LUFS`, flag, show(text));
}
