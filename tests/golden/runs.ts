import { generate } from '../../src/engine/generate.ts';
import { recordedNoise } from '../../src/engine/noise.ts';
import { type BuiltPrefix, buildPrefix, maxPatches } from '../../src/engine/prefix.ts';
import { normalizeText } from '../../src/engine/text/normalize.ts';
import type { Tokenizer } from '../../src/engine/text/tokenizer.ts';
import { concatenate } from '../../src/float-arrays.ts';
import type { GoldenRun } from '../support/golden.ts';
import type { PromptPatches } from './audio.ts';
import type { Comparison } from './comparison.ts';
import { shaped, transposed } from './layout.ts';
import { values } from './stages.ts';
import type { Subject } from './subject.ts';
import { decision, type TracedStep, traceSteps } from './tracing.ts';
import { decodeWhole, decodeWindows } from './vae.ts';

/** Inputs of a comparison of complete runs. */
export interface RunSetting {
  readonly backend: Subject;
  readonly tokenizer: Tokenizer;
  readonly prompts: PromptPatches;
  readonly comparison: Comparison;
}

interface Attempt {
  readonly trace: TracedStep[];
  /** The concatenated audio of the loop. */
  readonly streamed: Float32Array;
}

/** Noise of each patch, in patch layout, from the entry of this name. */
export function noiseFrames(comparison: Comparison, name: string): Float32Array[] {
  const recorded = transposed(comparison.tensor(name));
  const length = (recorded.shape.at(-1) ?? 0) * (recorded.shape.at(-2) ?? 0);
  const draws = (recorded.data as Float32Array).length / length;
  return Array.from({ length: draws }, (_, draw) =>
    (recorded.data as Float32Array).slice(draw * length, (draw + 1) * length),
  );
}

async function runAttempt(
  setting: RunSetting,
  run: GoldenRun,
  built: BuiltPrefix,
  noise: Float32Array[],
): Promise<Attempt> {
  const trace: TracedStep[] = [];
  // Where decisions are not compared, every run still has as many patches as the recorded one.
  const judged = Number.isFinite(setting.comparison.factors.runs);
  const utterance = {
    ...built,
    maxPatches: judged ? run.effective_max_len : noise.length,
    minLength: judged ? run.min_len : noise.length,
    cfg: run.cfg_value,
    timesteps: run.inference_timesteps,
    noise: recordedNoise(noise),
    targetTokens: 0,
  };
  const chunks: Float32Array[] = [];
  for await (const { samples } of generate(traceSteps(setting.backend, trace), utterance)) chunks.push(samples);
  return { trace, streamed: concatenate(chunks) };
}

/** Compares token ids, masks and limits, computed from the run's texts. */
async function comparePrefix(setting: RunSetting, name: string, run: GoldenRun): Promise<BuiltPrefix> {
  const { comparison, tokenizer, prompts, backend } = setting;
  const text = normalizeText(run.text);
  const textIds = tokenizer.encode((run.prompt_text ?? '') + text);
  const prompt = run.prompt_wav === null ? undefined : await prompts(run.prompt_wav, 'prompt');
  const reference = run.reference_wav === null ? undefined : await prompts(run.reference_wav, 'reference');
  const built = buildPrefix(backend.info, {
    textIds,
    ...(prompt === undefined ? {} : { prompt }),
    ...(reference === undefined ? {} : { reference }),
  });
  const { tokens, audioMask } = built;
  comparison.equal(`e2e.${name}.text_token`, tokens, run.text_token);
  comparison.equal(`e2e.${name}.audio_mask`, audioMask, run.audio_mask);
  comparison.equal(
    `e2e.${name}.text_mask`,
    audioMask.map((audio) => 1 - audio),
    run.text_mask,
  );
  if (run.context_patches !== null) {
    comparison.equal(`e2e.${name}.context_patches`, [built.contextPatches], [run.context_patches]);
  }
  const limit = maxPatches(tokenizer.encode(text).length, run.max_len, 6);
  comparison.equal(`e2e.${name}.effective_max_len`, [limit], [run.effective_max_len]);
  return built;
}

async function comparePrefill(
  setting: RunSetting,
  name: string,
  { tokens, audioMask, features }: BuiltPrefix,
): Promise<void> {
  const { comparison, backend } = setting;
  if (!comparison.has(`e2e.${name}.prefill_in`)) return;
  const { patchSize, featureDim } = backend.info;
  const outputs = await backend.model.probe(
    'prefill',
    {
      tokens: shaped(tokens, tokens.length),
      audioMask: shaped(Int32Array.from(audioMask), audioMask.length),
      features: shaped(features, features.length / (patchSize * featureDim), patchSize, featureDim),
    },
    {},
  );
  comparison.meet(`e2e.${name}.prefill_in`, values(outputs, 'embeds'));
  comparison.meet(`e2e.${name}.prefill_out`, values(outputs, 'base_out'));
}

async function compareRun(setting: RunSetting, name: string, run: GoldenRun): Promise<void> {
  const { comparison } = setting;
  const built = await comparePrefix(setting, name, run);
  await comparePrefill(setting, name, built);

  const noise = noiseFrames(comparison, `e2e.${name}.noise`);
  const attempts: Attempt[] = [];
  for (const count of run.attempt_patches ?? [run.num_patches]) {
    const first = attempts.reduce((total, { trace }) => total + trace.length, 0);
    attempts.push(await runAttempt(setting, run, built, noise.slice(first, first + count)));
  }
  const steps = attempts.flatMap(({ trace }) => trace);
  comparison.meet(`e2e.${name}.lm_hidden`, concatenate(steps.map(({ lmHidden }) => lmHidden)));
  comparison.meet(`e2e.${name}.residual_hidden`, concatenate(steps.map(({ residualHidden }) => residualHidden)));
  comparison.meet(`e2e.${name}.stop_logits`, concatenate(steps.map(({ stopLogits }) => stopLogits)));
  const flags = steps.map(({ stopLogits }) => decision(stopLogits));
  comparison.equal(`e2e.${name}.stop_flags`, flags, run.stop_flags);

  const last = attempts.at(-1) as Attempt;
  comparison.equal(`e2e.${name}.num_patches`, [last.trace.length], [run.num_patches]);
  await compareAudio(setting, name, run, built, last);
}

async function compareAudio(
  setting: RunSetting,
  name: string,
  run: GoldenRun,
  built: BuiltPrefix,
  last: Attempt,
): Promise<void> {
  const { comparison } = setting;
  const { model } = setting.backend;
  const { golden } = comparison;
  const { feat_dim: featureDim, samples_per_patch_out: patchSamples } = golden.derived;
  const generated = concatenate(last.trace.map(({ patch }) => patch));
  const withContext = concatenate([built.context, generated]);
  const isV1 = golden.architecture === 'voxcpm';

  const latents = run.streaming ? generated : withContext;
  const channelsFirst = transposed({ data: latents, shape: [latents.length / featureDim, featureDim] }).data;
  comparison.meet(`e2e.${name}.latents`, channelsFirst);
  comparison.meet(`e2e.${name}.feat`, isV1 ? withContext : generated);

  const whole = (await decodeWhole(model, withContext, featureDim)).slice(built.discardPatches * patchSamples);
  let wave: Float32Array = whole;
  if (run.streaming) {
    wave = isV1
      ? await decodeWindows(model, golden, withContext, built.contextPatches)
      : await decodeWhole(model, generated, featureDim);
  }
  comparison.meet(`e2e.${name}.wav`, wave);
  comparison.equal(`e2e.${name}.wav_len`, [wave.length], [run.wav_len]);
  comparison.close(`e2e.${name} streamed = whole`, last.streamed, whole, comparison.factors.streamed);
}

/** Complete runs with recorded noise through the real loop; only those in `wanted`, if given. */
export async function compareRuns(setting: RunSetting, wanted?: readonly string[]): Promise<void> {
  const { comparison } = setting;
  for (const [name, run] of Object.entries(comparison.golden.runs)) {
    if (wanted === undefined || wanted.includes(name)) {
      await comparison.part(`e2e.${name}`, () => compareRun(setting, name, run));
    } else {
      comparison.leaveOut(`e2e.${name}.`);
    }
  }
}
