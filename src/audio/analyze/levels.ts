/** The levels by which audiobooks are judged: loudness, peaks, the mean, and the noise between words. */
import { createLoudnessMeter } from './loudness.ts';

export interface Levels {
  /** Integrated, in LUFS; undefined of what is too short or too quiet to be measured. */
  readonly loudness: number | undefined;
  /** RMS of the whole in dB below full scale; -Infinity of silence, as below. */
  readonly rms: number;
  /** Largest sample in dB below full scale. */
  readonly peak: number;
  /** Between the samples too, in dB below full scale. */
  readonly truePeak: number;
  /** RMS of the quietest half second, in dB below full scale. */
  readonly noiseFloor: number;
}

const windowSeconds = 0.5;

/** Measures what comes in pieces. */
export function createLevelMeter(sampleRate: number) {
  const meter = createLoudnessMeter(sampleRate);
  const windowLength = Math.round(windowSeconds * sampleRate);
  let [peak, between, squares, count] = [0, 0, 0, 0];
  let [windowSquares, windowCount, quietest] = [0, 0, Number.POSITIVE_INFINITY];
  return {
    push(samples: Float32Array): void {
      meter.push(samples);
      for (const value of samples) {
        peak = Math.max(peak, Math.abs(value));
        squares += value * value;
        windowSquares += value * value;
        windowCount += 1;
        if (windowCount < windowLength) continue;
        quietest = Math.min(quietest, windowSquares);
        windowSquares = windowCount = 0;
      }
      count += samples.length;
    },
    /** @param oversampled samples between those that were pushed */
    pushBetween(oversampled: Float32Array): void {
      for (const value of oversampled) between = Math.max(between, Math.abs(value));
    },
    levels: (): Levels => ({
      loudness: meter.loudness(),
      rms: count === 0 ? Number.NEGATIVE_INFINITY : decibels(Math.sqrt(squares / count)),
      peak: decibels(peak),
      truePeak: decibels(Math.max(peak, between)),
      // Audio shorter than a window is all there is.
      noiseFloor: decibels(
        Math.sqrt(Number.isFinite(quietest) ? quietest / windowLength : windowSquares / Math.max(1, windowCount)),
      ),
    }),
  };
}

/** The same audio, louder by so many dB. */
export const louder = ({ loudness, rms, peak, truePeak, noiseFloor }: Levels, gain: number): Levels => ({
  loudness: loudness === undefined ? undefined : loudness + gain,
  rms: rms + gain,
  peak: peak + gain,
  truePeak: truePeak + gain,
  noiseFloor: noiseFloor + gain,
});

/** Level in dB of an amplitude from 0 to 1. */
export const decibels = (amplitude: number): number => 20 * Math.log10(amplitude);
export const amplitudeOf = (level: number): number => 10 ** (level / 20);
