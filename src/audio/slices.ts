import { createPace } from '../next-turn.ts';

/** Does work on samples slice by slice, so that the thread can do other things between two. */
export async function inSlices(
  samples: Float32Array,
  length: number,
  work: (slice: Float32Array) => void | Promise<void>,
): Promise<void> {
  const pace = createPace();
  for (let start = 0; start < samples.length; start += length) {
    await work(samples.subarray(start, start + length));
    await pace();
  }
}
