/** Sample rate conversion of recordings and streams with FFmpeg's libswresample. */
import { concatenate } from '../../float-arrays.ts';
import { createLibavFilter, resamplingTo, samplesOf, sharedLibav } from '../libraries/libav.ts';
import { pushInSlices } from '../slices.ts';
import { type SampleTransform, unchanged } from '../transform.ts';

const purpose = 'sample rate conversion';

/** Opens the shared instance ahead of its first use. @throws SvcError BACKEND_UNAVAILABLE if the package is missing */
export async function prepareResampling(): Promise<void> {
  await sharedLibav(purpose);
}

/** In Hz. Higher rates are first reduced to this one by FFmpeg's default filter, without an audible difference. */
const highestFineRate = 192_000;

/** A streaming resampler: `length × to / from` samples to within one, delayed by up to 6 ms (at 16 kHz). */
export async function createResampler(from: number, to: number): Promise<SampleTransform> {
  if (from === to) return unchanged;
  // The length of the filter grows with the rate and would take seconds to compute.
  const graph = from > highestFineRate ? `aresample=${highestFineRate},${resamplingTo(to)}` : resamplingTo(to);
  const filter = createLibavFilter(await sharedLibav(purpose), { graph, inputRate: from, outputRate: to });
  return {
    push: (samples) => samplesOf(filter.push(samples)),
    flush: () => samplesOf(filter.flush()),
    close: filter.close,
  };
}

/** Resamples to `ceil(length × to / from)` samples; the signal is zero beyond its ends. @throws BACKEND_UNAVAILABLE */
export async function resampleByLibrary(samples: Float32Array, from: number, to: number): Promise<Float32Array> {
  const resampler = await createResampler(from, to);
  try {
    // libswresample mirrors the signal at its ends. A second of silence is a whole number of samples at both rates.
    const silence = new Float32Array(from);
    const pieces: Float32Array[] = [];
    for (const piece of [silence, samples, silence]) pieces.push(await pushInSlices(resampler, piece));
    return concatenate([...pieces, resampler.flush()]).slice(to, to + Math.ceil((samples.length * to) / from));
  } finally {
    resampler.close();
  }
}
