/** Code that `golden.test.ts` runs in Chromium: a complete run with recorded noise, with the code of the local page. */
import { loadPrompt } from '../../../src/audio/resample/resample.ts';
import { generate } from '../../../src/engine/generate.ts';
import { recordedNoise } from '../../../src/engine/noise.ts';
import { buildPrefix, padPrompt } from '../../../src/engine/prefix.ts';
import { normalizeText } from '../../../src/engine/text/normalize.ts';
import { createTokenizer } from '../../../src/engine/text/tokenizer.ts';
import { openBrowserBackend } from '../../../src/web/local/browser-backend.ts';
import { openModelFiles } from '../../../src/web/local/model-files.ts';
import { openWebRuntime, type WebDevice } from '../../../src/web/local/onnx-web.ts';

/** A run of the official implementation, as JSON. */
export interface RecordedRun {
  readonly text: string;
  readonly prompt?: { readonly text: string; readonly samples: readonly number[]; readonly sampleRate: number };
  readonly maxPatches: number;
  readonly minLength: number;
  readonly cfg: number;
  readonly timesteps: number;
  /** Noise of each patch, in patch layout. */
  readonly noise: readonly (readonly number[])[];
}

export interface RunResult {
  readonly device: string;
  readonly tokens: readonly number[];
  readonly samples: readonly number[];
  readonly patches: number;
  /** Time of the steps after the first, without loading. */
  readonly secondsPerPatch: number;
}

/** @param address URL of the model, relative to the page */
async function runGolden(address: string, device: WebDevice, run: RecordedRun): Promise<RunResult> {
  const runtime = await openWebRuntime(device, new URL('ort/', location.href).href);
  await using backend = await openBrowserBackend(await openModelFiles(new URL(address, location.href).href), runtime);
  const { info } = backend;
  const tokenizer = createTokenizer((key) => backend.metadata(key));
  const { prompt, text, noise, ...numbers } = run;
  const textIds = tokenizer.encode((prompt?.text ?? '') + normalizeText(text));
  const patchesOf = async ({ samples, sampleRate }: NonNullable<typeof prompt>): Promise<Float32Array> => {
    const audio = { samples: Float32Array.from(samples), sampleRate, channels: 1 };
    return backend.encode(padPrompt(await loadPrompt(audio, info), info));
  };
  const built = buildPrefix(info, { textIds, ...(prompt && { prompt: await patchesOf(prompt) }) });
  const frames = recordedNoise(noise.map((frame) => Float32Array.from(frame)));
  const samples: number[] = [];
  const times: number[] = [];
  for await (const chunk of generate(backend, { ...built, ...numbers, noise: frames, targetTokens: 0 })) {
    samples.push(...chunk.samples);
    times.push(performance.now());
  }
  const secondsPerPatch = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000 / Math.max(1, times.length - 1);
  return { device: runtime.device, tokens: [...built.tokens], samples, patches: times.length, secondsPerPatch };
}

/** Resamples a prompt to the rate of VoxCPM 2 with FFmpeg's WebAssembly. */
async function resamplePrompt(samples: readonly number[], sampleRate: number): Promise<readonly number[]> {
  const audio = { samples: Float32Array.from(samples), sampleRate, channels: 1 };
  const model = {
    architecture: 'voxcpm2',
    inputSampleRate: 16_000,
    inputPatchSamples: 640,
    contextLength: 256,
  } as const;
  return [...(await loadPrompt(audio, model))];
}

Object.assign(globalThis, { runGolden, resamplePrompt });
