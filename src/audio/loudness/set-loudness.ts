/** Brings a file to a loudness: measures all of it, then changes it by one gain, with a limit for peaks. */
import { amplitudeOf, createLevelMeter, type Levels, louder } from '../analyze/levels.ts';
import { createLibavFilter, type Libav, samplesOf, sharedLibav } from '../libraries/libav.ts';
import { inSlices } from '../slices.ts';
import type { SampleTransform } from '../transform.ts';
import type { LoudnessTarget } from './loudness-target.ts';

export type Samples = AsyncIterable<Float32Array>;

export interface Leveled {
  /** Levels of the audio that `samples` gives. */
  readonly levels: Levels;
  /** In dB. */
  readonly gain: number;
  /** The audio at its new loudness, as many samples as before; each call reads it anew. */
  samples(): Samples;
}

/** Limited peaks make the whole quieter, so that the gain is corrected by what is measured then. */
const mostPasses = 3;
/** In LU. */
const closeEnough = 0.1;
/** As ITU-R BS.1770-4 measures true peaks of speech at 48 kHz. */
const oversampling = 4;
/** In dB: the way back to the rate of the audio adds ripples. */
const margin = 0.2;
/** Milliseconds: fast enough for plosives, slow enough not to distort vowels. */
const timing = 'attack=5:release=60';

/**
 * Memory doesn't grow with the length. Audio that is too short or too quiet to be measured stays as it is.
 *
 * @param read gives all samples, each time anew
 * @param encoderGain what the encoder makes of them, in dB; the target and the levels are those of the file
 * @throws SvcError BACKEND_UNAVAILABLE if the library is missing
 */
export async function setLoudness(
  read: () => Samples,
  sampleRate: number,
  target: LoudnessTarget,
  encoderGain = 0,
): Promise<Leveled> {
  const leveled = await reach(read, sampleRate, {
    loudness: target.loudness - encoderGain,
    truePeak: target.truePeak - encoderGain,
  });
  return { ...leveled, levels: louder(leveled.levels, encoderGain) };
}

async function reach(read: () => Samples, sampleRate: number, target: LoudnessTarget): Promise<Leveled> {
  const before = await measure(read(), sampleRate);
  if (before.loudness === undefined) return { levels: before, gain: 0, samples: read };
  let gain = target.loudness - before.loudness;
  if (before.truePeak + gain <= target.truePeak)
    return { levels: louder(before, gain), gain, samples: () => amplified(read(), gain) };
  for (let pass = 1; ; pass += 1) {
    const chosen = gain;
    const samples = (): Samples => limited(read(), sampleRate, chosen, target.truePeak);
    const levels = await measure(samples(), sampleRate);
    const missing = target.loudness - (levels.loudness ?? target.loudness);
    if (Math.abs(missing) <= closeEnough || pass === mostPasses) return { levels, gain, samples };
    gain += missing;
  }
}

/** All levels of the audio. */
export async function measure(samples: Samples, sampleRate: number): Promise<Levels> {
  const meter = createLevelMeter(sampleRate);
  const libav = await sharedLibav('measuring peaks');
  const rate = sampleRate * oversampling;
  const filter = createLibavFilter(libav, { graph: `aresample=${rate}`, inputRate: sampleRate, outputRate: rate });
  try {
    for await (const piece of samples) {
      await inSlices(piece, async (slice) => {
        meter.push(slice);
        meter.pushBetween(samplesOf(filter.push(slice)));
      });
    }
    meter.pushBetween(samplesOf(filter.flush()));
    return meter.levels();
  } finally {
    filter.close();
  }
}

async function* amplified(samples: Samples, gain: number): Samples {
  const factor = amplitudeOf(gain);
  for await (const piece of samples) yield piece.map((value) => value * factor);
}

async function* limited(samples: Samples, sampleRate: number, gain: number, truePeak: number): Samples {
  const limiter = createLimiter(await sharedLibav('limiting peaks'), { sampleRate, gain, truePeak });
  try {
    for await (const piece of samples) yield await limiter.push(piece);
    yield await limiter.flush();
  } finally {
    limiter.close();
  }
}

/**
 * Keeps peaks below a level, those between samples too: FFmpeg's look-ahead limiter at four times the rate.
 *
 * @param gain in dB, before the limit
 */
function createLimiter(
  libav: Libav,
  { sampleRate, gain, truePeak }: { readonly sampleRate: number; readonly gain: number; readonly truePeak: number },
): SampleTransform {
  const limit = amplitudeOf(truePeak - margin).toFixed(6);
  const graph = [
    `volume=${gain.toFixed(4)}dB`,
    `aresample=${sampleRate * oversampling}`,
    `alimiter=limit=${limit}:level=disabled:latency=1:${timing}`,
    `aresample=${sampleRate}`,
  ].join(',');
  const filter = createLibavFilter(libav, { graph, inputRate: sampleRate, outputRate: sampleRate });
  let [taken, given] = [0, 0];
  const give = (samples: Float32Array): Float32Array => {
    const fitting = samples.subarray(0, Math.max(0, taken - given));
    given += fitting.length;
    return fitting;
  };
  return {
    push(samples) {
      taken += samples.length;
      return give(samplesOf(filter.push(samples)));
    },
    flush() {
      const rest = give(samplesOf(filter.flush()));
      const whole = new Float32Array(rest.length + taken - given);
      whole.set(rest);
      return whole;
    },
    close: filter.close,
  };
}
