/** Noises from a seed, and what is left of them. */
import { join } from 'node:path';
import { measureLoudness } from '../../src/audio/analyze/loudness.ts';
import { measureRecording } from '../../src/audio/analyze/recording-quality.ts';
import { readAudioFile } from '../../src/audio/decode/read-audio.ts';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';

function uniform(): () => number {
  let state = 12_345;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 1) / (2 ** 32 + 1);
  };
}

function white(length: number): Float32Array {
  const next = uniform();
  return Float32Array.from({ length }, () => Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next()));
}

/** White noise through Paul Kellet's filter, -3 dB an octave. */
function pink(length: number): Float32Array {
  const state = [0, 0, 0];
  return white(length).map((value) => {
    state[0] = 0.99765 * (state[0] as number) + 0.099046 * value;
    state[1] = 0.963 * (state[1] as number) + 0.2965164 * value;
    state[2] = 0.57 * (state[2] as number) + 1.0526913 * value;
    return state.reduce((sum, part) => sum + part, 0.1848 * value);
  });
}

/** Hum of the mains: 50 Hz and four harmonics. */
const hum = (length: number, sampleRate: number): Float32Array =>
  Float32Array.from({ length }, (_, index) =>
    [1, 2, 3, 4, 5].reduce((sum, k) => sum + Math.sin((2 * Math.PI * 50 * k * index) / sampleRate + k) / k, 0),
  );

export const noises = { white, pink, hum } as const;

const power = (samples: Float32Array): number => samples.reduce((sum, value) => sum + value ** 2, 0) / samples.length;

/** Adds noise at a signal-to-noise ratio in dB. */
export function addNoise(samples: Float32Array, noise: Float32Array, ratio: number): Float32Array {
  const gain = Math.sqrt(power(samples) / power(noise) / 10 ** (ratio / 10));
  return samples.map((value, index) => value + gain * (noise[index] as number));
}

/** Scale-invariant signal-to-distortion ratio in dB (Le Roux et al., ICASSP 2019). */
export function distortionRatio(clean: Float32Array, received: Float32Array): number {
  const dot = clean.reduce((sum, value, index) => sum + value * (received[index] as number), 0);
  const scale = dot / (power(clean) * clean.length);
  const rest = received.map((value, index) => value - scale * (clean[index] as number));
  return 10 * Math.log10((scale ** 2 * power(clean)) / power(rest));
}

/** A recording with pink noise 10 dB below the speech, as a WAV file: what `denoise` is for. */
export async function noisyRecording(): Promise<Uint8Array> {
  const { samples, sampleRate } = await readAudioFile(join(import.meta.dirname, '../fixtures/voices/demo.wav'));
  return encodeWav(addNoise(samples, pink(samples.length), 10), sampleRate);
}

/** Whether samples of 16 kHz are the noisy recording, or that without its noise and as loud as -20 LUFS. */
export function noiseIn(samples: Float32Array): 'noisy' | 'denoised' | 'neither' {
  const audio = { samples, sampleRate: 16_000 };
  const [loudness = 0, { noiseDb = 0 }] = [measureLoudness(audio), measureRecording(audio)];
  if (noiseDb > -28) return 'noisy';
  return Math.abs(loudness + 20) < 0.2 && noiseDb < -36 ? 'denoised' : 'neither';
}
