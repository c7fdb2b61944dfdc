/** Sample rate conversion by FFmpeg's libswresample, of whole recordings and of audio that arrives in pieces. */
import { concatenate } from '../concatenate.ts';
import { createLibavFilter, type Libav, openLibav, resamplingTo, samplesOf } from './libav.ts';
import { pushInSlices } from './slices.ts';
import { type SampleTransform, unchanged } from './transform.ts';

/**
 * One instance for all of a process, other than for codecs: to open one takes some 50 ms, a filter less than one, and
 * what goes in are samples that were decoded or made here.
 */
let instance: Promise<Libav> | undefined;

/**
 * Opens what all resamplers share, so that the first one need not wait for it.
 *
 * @throws SvcError BACKEND_UNAVAILABLE when the package is missing.
 */
export async function prepareResampling(): Promise<void> {
  await openInstance();
}

function openInstance(): Promise<Libav> {
  instance ??= openLibav('sample rates').catch((error: unknown) => {
    instance = undefined;
    throw error;
  });
  return instance;
}

/** Hz; what is above is brought here first, by FFmpeg's own filter: nobody hears the difference. */
const highestFineRate = 192_000;

/**
 * In all `length × to / from` samples, to within one; the 6 ms or less (at 16 kHz) that the filter looks ahead come later.
 *
 * @throws SvcError BACKEND_UNAVAILABLE when the package is missing.
 */
export async function createResampler(from: number, to: number): Promise<SampleTransform> {
  if (from === to) return unchanged;
  // A filter from beyond would be the longer the higher the rate, and take seconds to compute.
  const graph = from > highestFineRate ? `aresample=${highestFineRate},${resamplingTo(to)}` : resamplingTo(to);
  const filter = createLibavFilter(await openInstance(), {
    graph,
    inputRate: from,
    outputRate: to,
  });
  return {
    // By the second: the instance's memory grows with the largest piece, and never shrinks.
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
 * All of a recording at another rate, `ceil(length × to / from)` samples; beyond its ends the signal is zero.
 *
 * @throws SvcError BACKEND_UNAVAILABLE when the package is missing.
 */
export async function resampleByLibrary(samples: Float32Array, from: number, to: number): Promise<Float32Array> {
  const resampler = await createResampler(from, to);
  try {
    // libswresample mirrors what lies at an end. A second of silence is a whole number of samples at either rate.
    const silence = new Float32Array(from);
    const pieces: Float32Array[] = [];
    for (const piece of [silence, samples, silence]) pieces.push(await pushInSlices(resampler, piece));
    return concatenate([...pieces, resampler.flush()]).slice(to, to + Math.ceil((samples.length * to) / from));
  } finally {
    resampler.close();
  }
}
