import { concatenate } from '../../float-arrays.ts';
import type { Audio } from '../audio.ts';
import { assertWithin, type DecodeLimits, unsupported } from './decode-limits.ts';
import { createPhaseCheck } from './opposite-phase.ts';

/**
 * Collects decoded blocks as mono: the mean of the channels, or the first of two in opposite phase.
 *
 * @param name kind of file for messages, such as `MP3 file`
 */
export function createMonoCollector(name: string, limits: DecodeLimits) {
  const blocks: Float32Array[] = [];
  /** The first channel, as long as its mean with the second is silence. */
  let firstBlocks: Float32Array[] | undefined = [];
  const phase = createPhaseCheck();
  let length = 0;
  let values = 0;
  let sampleRate = 0;
  let channelCount = 0;
  return {
    /** Samples per channel so far. */
    get length() {
      return length;
    },
    /** @throws SvcError PAYLOAD_TOO_LARGE beyond a limit, UNSUPPORTED_AUDIO if the sample rate changes */
    add(channels: readonly Float32Array[], rate: number): void {
      const samples = channels[0]?.length ?? 0;
      if (samples === 0) return;
      if (sampleRate !== 0 && rate !== sampleRate) throw unsupported(`the ${name} changes its sample rate`);
      sampleRate = rate;
      channelCount = Math.max(channelCount, channels.length);
      length += samples;
      values += samples * channels.length;
      assertWithin(limits, { samples: length, channels: values / length, sampleRate });
      const mixed = mixDown(channels, samples, name);
      blocks.push(mixed);
      if (firstBlocks === undefined) return;
      const [first] = channels as readonly [Float32Array];
      for (let index = 0; index < samples; index += 1) phase.add(first[index] as number, mixed[index] as number);
      if (channels.length !== 2 || phase.isOpposite() === false) firstBlocks = undefined;
      else firstBlocks.push(first.slice());
    },
    /** @throws SvcError UNSUPPORTED_AUDIO if nothing was added */
    finish(kept = length): Audio {
      if (length === 0) throw unsupported(`the ${name} contains no decodable audio`);
      const samples = concatenate((phase.isOpposite() && firstBlocks) || blocks);
      return { samples: kept < length ? samples.slice(0, kept) : samples, sampleRate, channels: channelCount };
    },
  };
}

/** Averages the channels. Summing channel by channel gives the same sums as sample by sample, several times faster. */
function mixDown(channels: readonly Float32Array[], length: number, name: string): Float32Array {
  const sums = new Float64Array(length);
  for (const channel of channels) {
    for (let index = 0; index < length; index += 1) sums[index] = (sums[index] as number) + (channel[index] as number);
  }
  const mono = new Float32Array(length);
  for (let index = 0; index < length; index += 1) {
    const mean = (sums[index] as number) / channels.length;
    if (!Number.isFinite(mean)) throw unsupported(`the ${name} contains infinite or NaN samples`);
    mono[index] = mean;
  }
  return mono;
}
