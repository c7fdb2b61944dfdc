/** Integrated loudness of mono audio by ITU-R BS.1770-4: weighting, then the mean of what is louder than two gates. */
import type { Audio } from '../audio.ts';

/** Length and step of the blocks that are gated, in seconds. */
const blockSeconds = 0.4;
const stepsPerBlock = 4;
/** In LUFS. */
const absoluteGate = -70;
/** In LU below the loudness of what passes the absolute gate. */
const relativeGate = -10;
/** Gain of the weighting at 1 kHz, in dB. */
const offset = -0.691;

type Biquad = { readonly b: readonly [number, number, number]; readonly a: readonly [number, number] };

/**
 * The two filters of the standard, which states coefficients for 48 kHz alone: these analog ones give the same there
 * (Mansbridge et al., "Implementation and evaluation of autonomous multi-track fader control", AES 132).
 */
function weightingAt(sampleRate: number): readonly [Biquad, Biquad] {
  const gain = 10 ** (3.999843853973347 / 20);
  const middle = gain ** 0.4996667741545416;
  const bilinear = (frequency: number, q: number, [high, band, low]: readonly [number, number, number]): Biquad => {
    const k = Math.tan((Math.PI * frequency) / sampleRate);
    const scale = 1 + k / q + k * k;
    const b = [high + (band * k) / q + low * k * k, 2 * (low * k * k - high), high - (band * k) / q + low * k * k];
    return {
      b: b.map((value) => value / scale) as [number, number, number],
      a: [(2 * (k * k - 1)) / scale, (1 - k / q + k * k) / scale],
    };
  };
  return [
    bilinear(1681.974450955533, 0.7071752369554196, [gain, middle, 1]),
    { ...bilinear(38.13547087602444, 0.5003270373238773, [0, 0, 0]), b: [1, -2, 1] },
  ];
}

/** Filters samples in place, which may come in pieces. */
function createFilter({ b: [b0, b1, b2], a: [a1, a2] }: Biquad): (samples: Float64Array) => void {
  let [first, second] = [0, 0];
  return (samples) => {
    for (let index = 0; index < samples.length; index += 1) {
      const input = samples[index] as number;
      const output = b0 * input + first;
      first = b1 * input - a1 * output + second;
      second = b2 * input - a2 * output;
      samples[index] = output;
    }
  };
}

/** Measures what comes in pieces. Keeps less than a second of it. */
export function createLoudnessMeter(sampleRate: number) {
  const filters = weightingAt(sampleRate).map(createFilter);
  const step = (blockSeconds / stepsPerBlock) * sampleRate;
  const length = Math.round(blockSeconds * sampleRate);
  const powers: number[] = [];
  let from = 0;
  let held: Float64Array = new Float64Array(0);
  /** Number of samples before those that are held. */
  let passed = 0;
  return {
    push(samples: Float32Array): void {
      const weighted = Float64Array.from(samples);
      for (const filter of filters) filter(weighted);
      const all = new Float64Array(held.length + weighted.length);
      all.set(held);
      all.set(weighted, held.length);
      for (; Math.round(from) + length <= passed + all.length; from += step) {
        const start = Math.round(from) - passed;
        const block = all.subarray(start, start + length);
        powers.push(block.reduce((sum, value) => sum + value * value, 0) / length);
      }
      const done = Math.min(all.length, Math.round(from) - passed);
      held = all.slice(done);
      passed += done;
    },
    /** In LUFS; undefined of less than 0.4 s, and of what is below -70 LUFS. */
    loudness(): number | undefined {
      const audible = powers.filter((power) => loudnessOf(power) > absoluteGate);
      const gate = loudnessOf(mean(audible)) + relativeGate;
      const loud = audible.filter((power) => loudnessOf(power) > gate);
      return loud.length === 0 ? undefined : loudnessOf(mean(loud));
    },
  };
}

/** Loudness in LUFS; undefined of less than 0.4 s, and of what is below -70 LUFS. */
export function measureLoudness({ samples, sampleRate }: Pick<Audio, 'samples' | 'sampleRate'>): number | undefined {
  const meter = createLoudnessMeter(sampleRate);
  meter.push(samples);
  return meter.loudness();
}

const loudnessOf = (power: number): number => offset + 10 * Math.log10(power);

const mean = (powers: readonly number[]): number => powers.reduce((sum, power) => sum + power, 0) / powers.length;
