/** Sample rate conversion of audio that arrives in pieces. */
import { convolve, createFilterBank, type FilterBank, ratioOf } from './filter-bank.ts';
import { createLibavFilter, type LibavFrame, openLibav } from './libav.ts';

export interface Resampler {
  /** What can be said by now; `delay` input samples are kept, because a sample depends on those behind it. */
  push(samples: Float32Array): Float32Array;
  /** The rest; in all as many samples as `resample` gives, and the same ones. */
  flush(): Float32Array;
}

/** Filters up to which the project's own resampler is used; more would take longer to make than to use. */
const maxPhases = 640;

/**
 * Between usual rates at once and with the filters of `resample`, which hold back 4 ms at most; FFmpeg's resampler, which
 * takes time to open, for a ratio such as 44,100 to 47,999.
 *
 * @throws SvcError BACKEND_UNAVAILABLE when the package for the latter is missing.
 */
export async function createResampler(from: number, to: number): Promise<Resampler> {
  if (from === to) return { push: (samples) => samples, flush: () => new Float32Array(0) };
  const { step, phases } = ratioOf(from, to);
  if (phases > maxPhases) return createLibavResampler(from, to);
  return createFilterResampler(step, phases, createFilterBank(step, phases, 'soxr-like'));
}

function createFilterResampler(step: number, phases: number, bank: FilterBank): Resampler {
  /** Input from `start` on, in samples since the first. */
  let kept: Float32Array = new Float32Array(0);
  let start = 0;
  let given = 0;

  /** Up to the output sample `end`, exclusive. */
  function give(end: number): Float32Array {
    const output = new Float32Array(Math.max(0, end - given));
    for (let index = 0; index < output.length; index += 1) {
      const { phase, position } = place(given + index);
      output[index] = convolve(kept, position - bank.reach - start, bank.kernel(phase));
    }
    given += output.length;
    return output;
  }

  function place(index: number): { readonly phase: number; readonly position: number } {
    const phase = (index * step) % phases;
    return { phase, position: (index * step - phase) / phases };
  }

  return {
    push(samples) {
      kept = join(kept, samples);
      // The last whose filter ends within what is there.
      const lastPosition = start + kept.length - (bank.taps - bank.reach);
      const output = give(Math.floor((lastPosition * phases + phases - 1) / step) + 1);
      const needed = Math.max(start, place(given).position - bank.reach);
      kept = kept.slice(needed - start);
      start = needed;
      return output;
    },
    flush: () => give(Math.ceil(((start + kept.length) * phases) / step)),
  };
}

async function createLibavResampler(inputRate: number, outputRate: number): Promise<Resampler> {
  const libav = await openLibav('sample_rate');
  const filter = createLibavFilter(libav, { graph: `aresample=${outputRate}`, inputRate, outputRate });
  const samplesOf = (frames: readonly LibavFrame[]): Float32Array =>
    frames.reduce<Float32Array>((all, { data }) => join(all, data as Float32Array), new Float32Array(0));
  return { push: (samples) => samplesOf(filter.push(samples)), flush: () => samplesOf(filter.flush()) };
}

function join(first: Float32Array, second: Float32Array): Float32Array {
  const joined = new Float32Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
