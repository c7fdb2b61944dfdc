/**
 * `torchaudio.functional.resample` with its defaults, number for number: the official code of model 1 brings prompts to
 * the rate of the audio encoder by it. No library computes these numbers (record 8), which is why this is written out.
 * For everything else there is `library-resample.ts`.
 */
import { createPace } from '../next-turn.ts';

/** `lowpass_filter_width` and `rolloff` of torchaudio's `_get_sinc_resample_kernel`. */
const zeroCrossings = 6;
const rolloff = 0.99;
/** Samples that are made between two looks at the clock. */
const turnSamples = 256;

/**
 * Mono samples at another rate, `ceil(length × to / from)` of them. Beyond its ends the signal is zero. Memory is that
 * of the result and of one filter a phase: 37 MiB for 767,999 Hz, the worst that `loadPrompt` lets pass.
 */
export async function resampleAsTorchaudio(samples: Float32Array, from: number, to: number): Promise<Float32Array> {
  const divisor = greatestCommonDivisor(from, to);
  // Output i lies at input position i × step / phases.
  const [step, phases] = [from / divisor, to / divisor];
  const cutoff = (Math.min(step, phases) * rolloff) / step;
  const reach = Math.ceil(zeroCrossings / cutoff);
  // One more than symmetric: a phase lies up to one input sample behind its position.
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

/** One output sample. */
function convolve(samples: Float32Array, start: number, kernel: Float32Array): number {
  const first = Math.max(0, -start);
  const end = Math.min(kernel.length, samples.length - start);
  let sum = 0;
  for (let tap = first; tap < end; tap += 1) sum += (samples[start + tap] as number) * (kernel[tap] as number);
  return sum;
}

const sinc = (crossing: number): number => (crossing === 0 ? 1 : Math.sin(Math.PI * crossing) / (Math.PI * crossing));

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));
