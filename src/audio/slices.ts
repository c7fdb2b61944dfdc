import { createPace } from '../event-loop.ts';
import { concatenate } from '../float-arrays.ts';
import type { SampleTransform } from './transform.ts';

/** Samples per slice: some milliseconds of work. */
const sliceSamples = 16_384;

/** Processes samples in slices, so that the thread can do other work in between. */
export async function inSlices(
  samples: Float32Array,
  work: (slice: Float32Array) => void | Promise<void>,
): Promise<void> {
  const pace = createPace();
  for (let start = 0; start < samples.length; start += sliceSamples) {
    await work(samples.subarray(start, start + sliceSamples));
    await pace();
  }
}

/** Pushes samples in slices and concatenates the output, unless it is one piece, or the input. */
export async function pushInSlices(transform: SampleTransform, samples: Float32Array): Promise<Float32Array> {
  const pieces: Float32Array[] = [];
  let isUnchanged = true;
  await inSlices(samples, (slice) => {
    const piece = transform.push(slice);
    isUnchanged &&= piece === slice;
    pieces.push(piece);
  });
  if (isUnchanged) return samples;
  const [only] = pieces;
  return only !== undefined && pieces.length === 1 ? only : concatenate(pieces);
}
