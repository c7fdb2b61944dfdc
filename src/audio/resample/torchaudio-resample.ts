/**
 * Reproduces `torchaudio.functional.resample` with default parameters exactly, which the official code of model 1 uses
 * for prompts. No library gives these numbers (decision record 8). Everything else uses `library-resample.ts`.
 */
import { createPace } from '../../event-loop.ts';

/** `lowpass_filter_width` and `rolloff` of torchaudio's `_get_sinc_resample_kernel`. */
const zeroCrossings = 6;
const rolloff = 0.99;
/** Samples computed between two checks of the clock. */
const turnSamples = 256;

/**
 * Resamples mono samples to `ceil(length × to / from)` samples; the signal is zero beyond its ends. Needs memory for
 * the result and one filter per phase: 37 MiB for 767,999 Hz, the largest that `loadPrompt` accepts.
 */
export async function resampleAsTorchaudio(samples: Float32Array, from: number, to: number): Promise<Float32Array> {
  const divisor = greatestCommonDivisor(from, to);
  // Output i is at input position i × step / phases.
  const [step, phases] = [from / divisor, to / divisor];
  const cutoff = (Math.min(step, phases) * rolloff) / step;
  const reach = Math.ceil(zeroCrossings / cutoff);
  // One more than symmetric, as a phase is up to one input sample after its position.
  const taps = 2 * reach + 2;

  /** A Hann-windowed sinc: input samples `position - reach` to `position - reach + taps - 1`. */
  const makeKernel = (phase: number): Float32Array =>
    Float32Array.from({ length: taps }, (_, tap) => {
      const crossing = (tap - reach - phase / phases) * cutoff;
      if (Math.abs(crossing) >= zeroCrossings) return 0;
      return sinc(crossing) * Math.cos((crossing / zeroCrossings) * (Math.PI / 2)) ** 2 * cutoff;
    });
  const kernels = new Map<number, Float32Array>();
  const output = new Float32Array(Math.ceil((samples.length * to) / from));
  const pace = createPace();
  for (let index = 0; index < output.length; index += 1) {
    if (index % turnSamples === 0) await pace();
    const phase = (index * step) % phases;
    const kernel = kernels.get(phase) ?? makeKernel(phase);
    kernels.set(phase, kernel);
    output[index] = convolve(samples, (index * step - phase) / phases - reach, kernel);
  }
  return output;
}

/** Computes one output sample. */
function convolve(samples: Float32Array, start: number, kernel: Float32Array): number {
  const first = Math.max(0, -start);
  const end = Math.min(kernel.length, samples.length - start);
  let sum = 0;
  for (let tap = first; tap < end; tap += 1) sum += (samples[start + tap] as number) * (kernel[tap] as number);
  return sum;
}

const sinc = (crossing: number): number => (crossing === 0 ? 1 : Math.sin(Math.PI * crossing) / (Math.PI * crossing));

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));
