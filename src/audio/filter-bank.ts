/** The filters of sample rate conversion: a windowed sinc for each phase, made when first asked for. */

export type ResampleKind = 'torchaudio' | 'soxr-like';

/** `lowpass_filter_width`, `rolloff` and window of torchaudio's `_get_sinc_resample_kernel`. */
interface Filter {
  readonly zeroCrossings: number;
  readonly rolloff: number;
  /** Window at `position` from -1 to 1. */
  readonly window: (position: number) => number;
}

const kaiserBeta = 14.769656459379492;
const kaiserPeak = besselI0(kaiserBeta);

const filters: Readonly<Record<ResampleKind, Filter>> = {
  torchaudio: { zeroCrossings: 6, rolloff: 0.99, window: (position) => Math.cos((position * Math.PI) / 2) ** 2 },
  'soxr-like': {
    zeroCrossings: 64,
    rolloff: 0.9475937167399596,
    window: (position) => besselI0(kaiserBeta * Math.sqrt(1 - position * position)) / kaiserPeak,
  },
};

export interface FilterBank {
  /** Coefficients of one filter: input samples `position - reach` to `position - reach + taps - 1`. */
  readonly taps: number;
  readonly reach: number;
  /** The filter of a phase, made when first asked for. */
  readonly kernel: (phase: number) => Float32Array;
}

/** @param step and phases: the ratio of the rates, in lowest terms. */
export function createFilterBank(step: number, phases: number, kind: ResampleKind): FilterBank {
  const filter = filters[kind];
  const cutoff = (Math.min(step, phases) * filter.rolloff) / step;
  const reach = Math.ceil(filter.zeroCrossings / cutoff);
  // One more than symmetric: a phase lies up to one input sample behind its position.
  const taps = 2 * reach + 2;
  const kernels = new Map<number, Float32Array>();
  const make = (phase: number): Float32Array =>
    Float32Array.from({ length: taps }, (_, tap) => {
      const crossing = (tap - reach - phase / phases) * cutoff;
      if (Math.abs(crossing) >= filter.zeroCrossings) return 0;
      return sinc(crossing) * filter.window(crossing / filter.zeroCrossings) * cutoff;
    });
  const kernel = (phase: number): Float32Array => {
    const known = kernels.get(phase);
    if (known !== undefined) return known;
    const made = make(phase);
    kernels.set(phase, made);
    return made;
  };
  return { taps, reach, kernel };
}

/** One output sample. Beyond its ends the signal is zero. */
export function convolve(samples: Float32Array, start: number, kernel: Float32Array): number {
  const first = Math.max(0, -start);
  const end = Math.min(kernel.length, samples.length - start);
  let sum = 0;
  for (let tap = first; tap < end; tap += 1) sum += (samples[start + tap] as number) * (kernel[tap] as number);
  return sum;
}

const sinc = (crossing: number): number => (crossing === 0 ? 1 : Math.sin(Math.PI * crossing) / (Math.PI * crossing));

/** Modified Bessel function of the first kind, order 0, by its power series. */
function besselI0(x: number): number {
  const quarter = (x * x) / 4;
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-17; k += 1) {
    term *= quarter / (k * k);
    sum += term;
  }
  return sum;
}

/** A ratio in lowest terms: output i lies at input position i × step / phases. */
export function ratioOf(from: number, to: number): { readonly step: number; readonly phases: number } {
  const divisor = greatestCommonDivisor(from, to);
  return { step: from / divisor, phases: to / divisor };
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));
