/** Keeps peaks below a level, those between samples too: FFmpeg's look-ahead limiter at four times the rate. */
import { amplitudeOf } from '../analyze/levels.ts';
import { createLibavFilter, type Libav, samplesOf } from '../libraries/libav.ts';
import type { SampleTransform } from '../transform.ts';

/** As ITU-R BS.1770-4 measures true peaks of speech at 48 kHz. */
export const oversampling = 4;
/** In dB: the way back to the rate of the audio adds ripples. */
const margin = 0.2;
/** Milliseconds: fast enough for plosives, slow enough not to distort vowels. */
const timing = 'attack=5:release=60';

/** @param gain in dB, before the limit */
export function createLimiter(
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
    close: () => filter.close(),
  };
}
