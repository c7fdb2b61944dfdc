import { concatenate } from '../concatenate.ts';
import { SvcError } from '../errors.ts';
import { assertWithin, type DecodeLimits } from './decode-limits.ts';
import type { Audio } from './wav.ts';

/** Puts decoded blocks together as mono. */
export interface MonoCollector {
  /** Samples of a channel so far. */
  readonly length: number;
  /** @throws SvcError PAYLOAD_TOO_LARGE past a limit, UNSUPPORTED_AUDIO when the rate changes on the way. */
  add(channels: readonly Float32Array[], sampleRate: number): void;
  /**
   * @param length - samples to keep; all when left out.
   * @throws SvcError UNSUPPORTED_AUDIO when nothing was added.
   */
  finish(length?: number): Audio;
}

/** @param name - of the format, for messages: `an MP3 file`. */
export function createMonoCollector(name: string, limits: DecodeLimits): MonoCollector {
  const blocks: Float32Array[] = [];
  let length = 0;
  let values = 0;
  let sampleRate = 0;
  let channelCount = 0;
  return {
    get length() {
      return length;
    },
    add(channels, rate) {
      const samples = channels[0]?.length ?? 0;
      if (samples === 0) return;
      if (sampleRate !== 0 && rate !== sampleRate) throw unsupported(`${name} that changes its sample rate`);
      sampleRate = rate;
      channelCount = Math.max(channelCount, channels.length);
      length += samples;
      values += samples * channels.length;
      assertWithin(limits, { samples: length, channels: values / length, sampleRate });
      blocks.push(mixDown(channels, samples, name));
    },
    finish(kept = length) {
      if (length === 0) throw unsupported(`${name} without audio that can be decoded`);
      const samples = concatenate(blocks);
      return { samples: kept < length ? samples.slice(0, kept) : samples, sampleRate, channels: channelCount };
    },
  };
}

/** Channel after channel: the sums are the same as sample after sample, and made several times faster. */
function mixDown(channels: readonly Float32Array[], length: number, name: string): Float32Array {
  const sums = new Float64Array(length);
  for (const channel of channels) {
    for (let index = 0; index < length; index += 1) sums[index] = (sums[index] as number) + (channel[index] as number);
  }
  const mono = new Float32Array(length);
  for (let index = 0; index < length; index += 1) {
    const mean = (sums[index] as number) / channels.length;
    if (!Number.isFinite(mean)) throw unsupported(`${name} with samples that are not finite`);
    mono[index] = mean;
  }
  return mono;
}

const unsupported = (received: string): SvcError =>
  new SvcError('UNSUPPORTED_AUDIO', `expected a whole audio file for audio, received ${received}`);
