import { z } from 'zod';
import { numberIn, parse } from '../../validation.ts';
import { createLibavFilter, type LibavFrame, samplesOf, sharedLibav } from '../libraries/libav.ts';
import { type SampleTransform, unchanged } from '../transform.ts';
import { speedRange } from './speed-range.ts';

/** Changes the speed of speech at constant pitch. Returns `round(samples / factor)` samples in total. */
export type Speed = SampleTransform;

const options = z.object({
  // Below some 30 Hz, FFmpeg's window has no samples, which ends its library.
  sampleRate: numberIn({ kind: 'integer', minimum: 100, maximum: 768_000 }),
  factor: numberIn(speedRange),
});

/** Maximum factor of one `atempo`; above 2 it skips samples instead of blending them. */
const widest = 2;
/** Seconds of silence to flush the last samples; longer than the window of the filter. */
const tailSeconds = 0.2;

/** Stretches time with FFmpeg's `atempo` (WSOLA). Factor 1 needs no library; above 1 is faster. @throws SvcError */
export async function createSpeed(sampleRate: number, factor: number): Promise<Speed> {
  parse(options, { sampleRate, factor });
  if (factor === 1) return unchanged;
  const libav = await sharedLibav('changing the speed');
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
    close: filter.close,
  };
}

function graphOf(factor: number): string {
  const steps = Math.ceil(Math.abs(Math.log2(factor)) / Math.log2(widest));
  return Array.from({ length: steps }, () => `atempo=${factor ** (1 / steps)}`).join(',');
}
