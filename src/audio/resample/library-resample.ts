/** Sample rate conversion of recordings and streams with FFmpeg's libswresample. */
import { concatenate } from '../../float-arrays.ts';
import { createLibavFilter, type Libav, openLibav, resamplingTo, samplesOf } from '../libraries/libav.ts';
import { pushInSlices } from '../slices.ts';
import { type SampleTransform, unchanged } from '../transform.ts';

/**
 * One instance per process, unlike codecs: opening one takes about 50 ms, a filter less than 1 ms, and the input is
 * trusted samples.
 */
let instance: Promise<Libav> | undefined;

/**
 * Opens the shared instance ahead of its first use.
 *
 * @throws SvcError BACKEND_UNAVAILABLE if the package is missing
 */
export async function prepareResampling(): Promise<void> {
  await openInstance();
}

function openInstance(): Promise<Libav> {
  instance ??= openLibav('sample rate conversion').catch((error: unknown) => {
    instance = undefined;
    throw error;
  });
  return instance;
}

/** In Hz. Higher rates are first reduced to this one by FFmpeg's default filter, without an audible difference. */
const highestFineRate = 192_000;

/**
 * Creates a streaming resampler. Returns `length × to / from` samples in total, to within one, delayed by up to 6 ms
 * (at 16 kHz).
 *
 * @throws SvcError BACKEND_UNAVAILABLE if the package is missing
 */
export async function createResampler(from: number, to: number): Promise<SampleTransform> {
  if (from === to) return unchanged;
  // The length of the filter grows with the rate and would take seconds to compute.
  const graph = from > highestFineRate ? `aresample=${highestFineRate},${resamplingTo(to)}` : resamplingTo(to);
  const filter = createLibavFilter(await openInstance(), {
    graph,
    inputRate: from,
    outputRate: to,
  });
  return {
    // One second at a time: the memory of the instance grows with the largest piece and never shrinks.
    push: (samples) =>
      concatenate(
        Array.from({ length: Math.ceil(samples.length / from) }, (_, second) =>
          samplesOf(filter.push(samples.subarray(second * from, (second + 1) * from))),
        ),
      ),
    flush: () => samplesOf(filter.flush()),
    close: filter.close,
  };
}

/**
 * Resamples a recording to `ceil(length × to / from)` samples; the signal is zero beyond its ends.
 *
 * @throws SvcError BACKEND_UNAVAILABLE if the package is missing
 */
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
