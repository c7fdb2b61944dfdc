/**
 * Removes noise from recordings of speech with GTCRN (Rong et al., ICASSP 2024), then sets their loudness as the official
 * `ZipEnhancer.enhance` does (`voxcpm/zipenhancer.py`). Only for the decoder thread: it defines globals and takes 0.1 of
 * the duration of a recording (docs/adr/0044-recordings-are-denoised-by-gtcrn.md).
 */
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { SvcError } from '../../errors.ts';
import type { Audio } from '../audio.ts';
import { loadLibrary } from '../libraries/load-library.ts';
import { resampleByLibrary } from '../resample/library-resample.ts';
import { measureLoudness } from './loudness.ts';

/** Sample rate of the model in Hz; also that of the official one. */
export const denoisedRate = 16_000;
/** The official `_normalize_loudness`, in LUFS. */
const targetLoudness = -20;
/** Samples of a render quantum of the Web Audio API. */
const quantum = 128;
/** Latency of the model and its buffers, in samples. */
const delay = 384;
/** Largest sample from which the model still gives finite ones: 16-bit numbers that were never scaled stay what they are. */
const largest = 32_768;
/** Milliseconds for WebAssembly to compile, in threads that a busy machine may hold up. */
const longestStart = 10_000;

/** An `AudioWorkletProcessor`. */
interface Processor {
  process(inputs: readonly (readonly Float32Array[])[], outputs: readonly (readonly Float32Array[])[]): boolean;
}

type ProcessorClass = new (options: {
  readonly processorOptions: { readonly wasmBinary: ArrayBuffer; readonly maxChannels: number };
}) => Processor;

const library = '@sapphi-red/web-noise-suppressor';

/** The class that the package registers for audio worklets, which need no browser. */
let loaded: Promise<{ readonly Processor: ProcessorClass; readonly binary: Buffer }> | undefined;

function load(): NonNullable<typeof loaded> {
  loaded ??= loadLibrary(library, 'denoising', async () => {
    const registered: ProcessorClass[] = [];
    Object.assign(globalThis, {
      sampleRate: denoisedRate,
      AudioWorkletProcessor: class {
        readonly port = new EventTarget();
      },
      registerProcessor: (_name: string, processor: ProcessorClass) => registered.push(processor),
    });
    await import('@sapphi-red/web-noise-suppressor/gtcrnWorklet.js');
    const binary = await readFile(new URL(import.meta.resolve(`${library}/gtcrn.wasm`)));
    return { Processor: registered[0] as ProcessorClass, binary };
  });
  return loaded;
}

/** A processor whose WebAssembly is compiled: before, it reads and writes nothing. @throws SvcError */
async function openProcessor(): Promise<Processor> {
  const { Processor, binary } = await load();
  const wasmBinary = new Uint8Array(binary).buffer;
  const processor = new Processor({ processorOptions: { wasmBinary, maxChannels: 1 } });
  const output = new Float32Array(quantum).fill(Number.NaN);
  for (const started = performance.now(); performance.now() - started < longestStart; await setTimeout(2)) {
    processor.process([[new Float32Array(quantum)]], [[output]]);
    if (!Number.isNaN(output[0])) return processor;
  }
  throw new SvcError('BACKEND_UNAVAILABLE', `the package ${library}, needed for denoising, does not start`);
}

/** Samples at `denoisedRate`, in time with the input. */
async function suppressNoise(samples: Float32Array): Promise<Float32Array> {
  const processor = await openProcessor();
  const cleaned = new Float32Array(Math.ceil((samples.length + delay) / quantum) * quantum);
  const input = new Float32Array(cleaned.length);
  input.set(samples);
  for (let from = 0; from < input.length; from += quantum) {
    const range = [from, from + quantum] as const;
    processor.process([[input.subarray(...range)]], [[cleaned.subarray(...range)]]);
  }
  return cleaned.slice(delay, delay + samples.length);
}

/** Audio of 16 kHz, as loud as -20 LUFS unless nothing is left of it. @throws SvcError BACKEND_UNAVAILABLE */
export async function denoise({ samples, sampleRate, channels }: Audio): Promise<Audio> {
  const bounded = samples.map((value) => Math.max(-largest, Math.min(largest, value)));
  const cleaned = await suppressNoise(await resampleByLibrary(bounded, sampleRate, denoisedRate));
  const loudness = measureLoudness({ samples: cleaned, sampleRate: denoisedRate });
  const gain = loudness === undefined ? 1 : 10 ** ((targetLoudness - loudness) / 20);
  return { samples: cleaned.map((value) => value * gain), sampleRate: denoisedRate, channels };
}
