import { SvcError } from '../errors.ts';
import { createLibavFilter, type LibavFrame, openLibav, samplesOf } from './libav.ts';
import { type SampleTransform, unchanged } from './transform.ts';

/** Speech made faster or slower; the pitch stays. All pieces together are `round(samples / factor)` samples. */
export type Speed = SampleTransform;

/** What one `atempo` stretches well; beyond 2 it skips samples instead of blending them. */
const widest = 2;
/** Silence that pushes the last samples out, in seconds; longer than the filter's window. */
const tailSeconds = 0.2;

/**
 * Time stretching by FFmpeg's `atempo` (WSOLA). Factor 1 passes the samples on as they are and needs no library.
 *
 * @param factor - above 1 is faster.
 * @throws SvcError INVALID_REQUEST for a factor that is no positive number, BACKEND_UNAVAILABLE when the library
 *   is missing.
 */
export async function createSpeed(sampleRate: number, factor: number): Promise<Speed> {
  if (!(factor > 0 && factor < Number.POSITIVE_INFINITY)) {
    throw new SvcError('INVALID_REQUEST', `expected a positive number for the speed, received ${factor}`);
  }
  if (factor === 1) return unchanged;
  const libav = await openLibav('speed');
  const filter = createLibavFilter(libav, { graph: graphOf(factor), inputRate: sampleRate, outputRate: sampleRate });
  let taken = 0;
  let given = 0;
  const give = (frames: readonly LibavFrame[]): Float32Array => {
    const room = Math.round(taken / factor) - given;
    const samples = samplesOf(frames).subarray(0, Math.max(0, room));
    given += samples.length;
    return samples;
  };
  return {
    push(samples) {
      taken += samples.length;
      return give(filter.push(samples));
    },
    flush() {
      if (taken === 0) return new Float32Array(0);
      const tail = new Float32Array(Math.ceil(tailSeconds * sampleRate * Math.max(1, factor)));
      return give([...filter.push(tail), ...filter.flush()]);
    },
    close: () => libav.terminate(),
  };
}

function graphOf(factor: number): string {
  const steps = Math.ceil(Math.abs(Math.log2(factor)) / Math.log2(widest));
  return Array.from({ length: steps }, () => `atempo=${factor ** (1 / steps)}`).join(',');
}
