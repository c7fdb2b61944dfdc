/** Bounds of what a recording may decode to, whatever a small file claims to contain. */
import { SvcError } from '../errors.ts';

export interface DecodeLimits {
  readonly seconds: number;
  /** Of one channel. */
  readonly samples: number;
  /** Samples of all channels together. */
  readonly values: number;
  /** Wall-clock time. */
  readonly milliseconds: number;
}

/** More than any model holds. */
const defaultSeconds = 15 * 60;
/** 256 MiB of float32. */
const mostSamples = 1 << 26;
/** Recordings of this rate may last as long as the others. */
const usualRate = 192_000;
/** FLAC, the slowest, decodes at 100 times real time and more; the rest is for a machine that is busy. */
const millisecondsPerSecond = 25;
const startMilliseconds = 5_000;

/** @param seconds - the longest recording, 15 minutes when left out. */
export function limitsFor(seconds = defaultSeconds): DecodeLimits {
  const samples = Math.min(mostSamples, seconds * usualRate);
  return { seconds, samples, values: 2 * samples, milliseconds: startMilliseconds + seconds * millisecondsPerSecond };
}

export interface Extent {
  readonly samples: number;
  readonly channels: number;
  readonly sampleRate: number;
}

/** @throws SvcError PAYLOAD_TOO_LARGE */
export function assertWithin(limits: DecodeLimits, { samples, channels, sampleRate }: Extent): void {
  if (samples > limits.seconds * sampleRate) throw tooLong(limits);
  if (samples > limits.samples) throw tooMany(limits.samples, '');
  if (samples * channels > limits.values) throw tooMany(limits.values, ' in all channels');
}

export const tooLong = ({ seconds }: DecodeLimits): SvcError =>
  new SvcError('PAYLOAD_TOO_LARGE', `the recording is longer than the limit of ${duration(seconds)}`);

export const tooSlow = ({ milliseconds }: DecodeLimits): SvcError =>
  new SvcError(
    'UNSUPPORTED_AUDIO',
    `the recording takes longer to decode than the limit of ${milliseconds / 1_000} seconds; please convert it to WAV`,
  );

const tooMany = (most: number, where: string): SvcError =>
  new SvcError(
    'PAYLOAD_TOO_LARGE',
    `the recording has more than ${most} samples${where}; please use a lower sample rate`,
  );

const duration = (seconds: number): string => {
  const [count, unit] = seconds % 60 === 0 ? [seconds / 60, 'minute'] : [seconds, 'second'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
};
