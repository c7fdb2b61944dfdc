import { concatenate } from '../concatenate.ts';
import { SvcError } from '../errors.ts';
import type { Audio } from './wav.ts';

/** Most that is decoded: more than any model holds, and bounded whatever a small file claims to contain. */
export const maxSeconds = 15 * 60;
const maxSamples = 1 << 26;

/** Puts decoded blocks together as mono. */
export interface MonoCollector {
  /** @throws SvcError UNSUPPORTED_AUDIO past 15 minutes, and when the rate changes on the way. */
  add(channels: readonly Float32Array[], sampleRate: number): void;
  /** @throws SvcError UNSUPPORTED_AUDIO when nothing was added. */
  finish(): Audio;
}

/** @param name - of the format, for messages: `an MP3 file`. */
export function createMonoCollector(name: string): MonoCollector {
  const blocks: Float32Array[] = [];
  let length = 0;
  let sampleRate = 0;
  let channelCount = 0;
  return {
    add(channels, rate) {
      const [first] = channels;
      if (first === undefined || first.length === 0) return;
      if (sampleRate !== 0 && rate !== sampleRate) throw unsupported(`${name} that changes its sample rate`);
      sampleRate = rate;
      channelCount = Math.max(channelCount, channels.length);
      length += first.length;
      if (length > Math.min(maxSamples, maxSeconds * rate)) {
        throw new SvcError(
          'UNSUPPORTED_AUDIO',
          `expected at most ${maxSeconds / 60} minutes for audio, received ${name} of more`,
        );
      }
      blocks.push(mixDown(first, channels, name));
    },
    finish() {
      if (length === 0) throw unsupported(`${name} without audio that can be decoded`);
      return { samples: concatenate(blocks), sampleRate, channels: channelCount };
    },
  };
}

function mixDown(first: Float32Array, channels: readonly Float32Array[], name: string): Float32Array {
  const mono = new Float32Array(first.length);
  for (let index = 0; index < mono.length; index += 1) {
    let sum = 0;
    for (const channel of channels) sum += channel[index] as number;
    mono[index] = sum / channels.length;
    if (!Number.isFinite(mono[index])) throw unsupported(`${name} with samples that are not finite`);
  }
  return mono;
}

const unsupported = (received: string): SvcError =>
  new SvcError('UNSUPPORTED_AUDIO', `expected a whole audio file for audio, received ${received}`);
