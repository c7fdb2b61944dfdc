import { join } from 'node:path';
import type { AdapterUse } from '../../src/engine/backend.ts';
import { type NativeBackend, openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { generate } from '../../src/engine/generate.ts';
import { readAdapter } from '../../src/engine/lora/read-adapter.ts';
import { recordedNoise } from '../../src/engine/noise.ts';
import { buildPrefix } from '../../src/engine/prefix.ts';
import { normalizeText } from '../../src/engine/text/normalize.ts';
import { createTokenizer } from '../../src/engine/text/tokenizer.ts';
import { concatenate } from '../../src/float-arrays.ts';
import { promptPatches } from './audio.ts';
import { factorsFor, type GoldenOptions, withExported } from './compare.ts';
import { Comparison } from './comparison.ts';
import { transposed } from './layout.ts';
import { noiseFrames } from './runs.ts';
import { type TracedStep, traceSteps } from './tracing.ts';
import { decodeWhole } from './vae.ts';

export interface LoraGoldenOptions extends Omit<GoldenOptions, 'runs'> {
  /** Contains `lora/`, `golden.safetensors` and `golden.json`; `directory` has the checkpoint and WAV files. */
  readonly adapter: string;
  /** Factor of the adapter; 1 as recorded. */
  readonly weight?: number;
}

/** A complete run of the official implementation with an adapter. */
type LoraRun = Pick<
  Comparison['golden']['runs'][string],
  'text' | 'prompt_text' | 'prompt_wav' | 'num_patches' | 'min_len' | 'inference_timesteps' | 'cfg_value'
>;

/** Compares complete runs with an adapter. */
export async function compareLora(options: LoraGoldenOptions): Promise<Comparison> {
  const { directory, model, type } = options;
  if (model !== undefined) return await compareModel(model, options);
  return await withExported(join(directory, 'checkpoint'), type, (path) => compareModel(path, options));
}

async function compareModel(path: string, options: LoraGoldenOptions): Promise<Comparison> {
  const { adapter: folder, backend: name, threads, kernels, weight = 1 } = options;
  const factors = options.factors ?? factorsFor(options);
  // Every entry is a result of a complete run.
  const comparison = new Comparison(folder, { ...factors, stages: factors.runs }, options.report ?? (() => {}));
  await using backend = await openNativeBackend(path, { backend: name, threads, kernels });
  const { weights } = await readAdapter(join(folder, 'lora'));
  const adapter = await openAdapter(backend, weights);
  for (const run of Object.keys(comparison.golden.runs)) {
    await comparison.part(run, () => compareRun(backend, comparison, options.directory, run, { adapter, weight }));
  }
  comparison.finish();
  return comparison;
}

/** Loads an adapter into a model that supports them. */
export async function openAdapter(
  backend: NativeBackend,
  weights: Awaited<ReturnType<typeof readAdapter>>['weights'],
): Promise<AdapterUse['adapter']> {
  if (backend.openAdapter === undefined) throw new Error('the model does not support adapters');
  return await backend.openAdapter(weights);
}

async function compareRun(
  backend: NativeBackend,
  comparison: Comparison,
  directory: string,
  name: string,
  adapter: AdapterUse,
): Promise<void> {
  const run = comparison.golden.runs[name] as LoraRun;
  const { patchSamples, featureDim } = backend.info;
  const textIds = createTokenizer((key) => backend.metadata(key)).encode(
    (run.prompt_text ?? '') + normalizeText(run.text),
  );
  const prompt =
    run.prompt_wav === null ? {} : { prompt: await promptPatches(directory, backend)(run.prompt_wav, 'prompt') };
  const built = buildPrefix(backend.info, { textIds, ...prompt });
  const trace: TracedStep[] = [];
  const utterance = {
    ...built,
    maxPatches: run.num_patches,
    minLength: run.min_len,
    cfg: run.cfg_value,
    timesteps: run.inference_timesteps,
    noise: recordedNoise(noiseFrames(comparison, `${name}.noise`)),
    targetTokens: 0,
  };
  for await (const _ of generate(traceSteps(backend, trace, adapter), utterance));
  comparison.meet(`${name}.lm_hidden`, concatenate(trace.map(({ lmHidden }) => lmHidden)));
  comparison.meet(`${name}.residual_hidden`, concatenate(trace.map(({ residualHidden }) => residualHidden)));
  comparison.meet(`${name}.stop_logits`, concatenate(trace.map(({ stopLogits }) => stopLogits)));
  const latents = concatenate([built.context, ...trace.map(({ patch }) => patch)]);
  comparison.meet(
    `${name}.latents`,
    transposed({ data: latents, shape: [latents.length / featureDim, featureDim] }).data,
  );
  const whole = await decodeWhole(backend.model, latents, featureDim);
  comparison.meet(`${name}.wav`, whole.slice(built.discardPatches * patchSamples));
}
