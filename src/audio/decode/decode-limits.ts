/** Limits on decoded audio, as a small file may claim to contain any amount. */
import { SvcError } from '../../errors.ts';

export interface DecodeLimits {
  readonly seconds: number;
  /** Samples per channel. */
  readonly samples: number;
  /** Samples of all channels together. */
  readonly values: number;
  /** Wall-clock time. */
  readonly milliseconds: number;
}

/** Longer than any model accepts. */
const defaultSeconds = 15 * 60;
/** 256 MiB of float32. */
const maxSamples = 1 << 26;
/** Up to this sample rate, the full duration is allowed. */
const usualRate = 192_000;
/** FLAC, the slowest format, decodes at 100 times real time or faster; the rest is for busy machines. */
const millisecondsPerSecond = 25;
const startMilliseconds = 5_000;
/** Denoising takes 0.1 to 0.3 of the duration, the more the busier the machine. */
const denoisingMilliseconds = 500;

/** @param seconds maximum duration; default: 15 minutes */
export function limitsFor(seconds = defaultSeconds, noise: 'keep' | 'remove' = 'keep'): DecodeLimits {
  const samples = Math.min(maxSamples, seconds * usualRate);
  const perSecond = millisecondsPerSecond + (noise === 'remove' ? denoisingMilliseconds : 0);
  return { seconds, samples, values: 2 * samples, milliseconds: startMilliseconds + seconds * perSecond };
}

export type Extent = { readonly samples: number; readonly channels: number; readonly sampleRate: number };

/** @throws SvcError PAYLOAD_TOO_LARGE */
export function assertWithin(limits: DecodeLimits, { samples, channels, sampleRate }: Extent): void {
  if (samples > limits.seconds * sampleRate) throw tooLong(limits);
  if (samples > limits.samples) throw tooMany(limits.samples, '');
  if (samples * channels > limits.values) throw tooMany(limits.values, ' in all channels');
}

export const tooLong = ({ seconds }: DecodeLimits): SvcError =>
  new SvcError('PAYLOAD_TOO_LARGE', `the recording is longer than the limit of ${duration(seconds)}`);

export const unsupported = (problem: string, cause?: unknown): SvcError =>
  new SvcError('UNSUPPORTED_AUDIO', problem, { cause });

export const tooSlow = ({ milliseconds }: DecodeLimits): SvcError =>
  unsupported(
    `the recording takes longer to decode than the limit of ${milliseconds / 1_000} seconds; convert it to WAV`,
  );

const tooMany = (most: number, where: string): SvcError =>
  new SvcError('PAYLOAD_TOO_LARGE', `the recording has more than ${most} samples${where}; use a lower sample rate`);

const duration = (seconds: number): string => {
  const [count, unit] = seconds % 60 === 0 ? [seconds / 60, 'minute'] : [seconds, 'second'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
};
