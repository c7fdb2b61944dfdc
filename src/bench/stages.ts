/** Times of prefill and of the stages of a step: as the runtime reports them, or from differences between calls. */
import type { Backend, StageTimes as ClockedStages, Prefix } from '../engine/backend.ts';
import { seededNoise } from '../engine/noise.ts';
import type { BenchConfiguration, Measurement, StepTimes } from './configuration.ts';
import { flowEvaluations } from './roofline.ts';
import { runUtterances, takeStep } from './run-utterances.ts';
import { median, timed } from './statistics.ts';

const prefillLength = 256;
const prefillRepeats = 5;
/** Timesteps of the short runs that determine the share of flow matching. */
const fewTimesteps = 2;
const fewPatches = 8;
const warmUpPatches = 3;
const positionRepeats = 9;

type Settings = Pick<BenchConfiguration, 'batch' | 'timesteps' | 'cfg' | 'seed'>;

/** A text without prompt. Others begin with other tokens, as the engine keeps what prefixes share. */
export const textPrefix = (length: number, first = 0): Prefix => ({
  tokens: Int32Array.from({ length }, (_, index) => 3 + ((first + index) % 90)),
  audioMask: new Uint8Array(length),
  features: new Float32Array(0),
});

/** Median milliseconds of opening a session, without the first. */
async function timeOpen(backend: Backend, length: number, { cfg, timesteps }: Settings): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index <= positionRepeats; index += 1) {
    const prefix = textPrefix(length, index);
    const [session, milliseconds] = await timed(() => backend.open({ ...prefix, cfg, timesteps }));
    times.push(milliseconds);
    await session.close();
  }
  return median(times.slice(1));
}

type PrefillFigures = Pick<
  Measurement,
  'prefillTokens' | 'prefillTokensPerSecond' | 'prefillTokensPerSecond27' | 'prefillTokensPerSecond64'
>;

/** Times prefixes of three lengths. */
export async function timePrefills(backend: Backend, settings: Settings): Promise<PrefillFigures> {
  const prefillTokens = Math.min(prefillLength, Math.floor(backend.info.contextLength / 2));
  const perSecond = async (tokens: number): Promise<number> =>
    (tokens * 1000) / (await timePrefill(backend, settings, tokens));
  return {
    prefillTokens,
    prefillTokensPerSecond: await perSecond(prefillTokens),
    prefillTokensPerSecond27: await perSecond(27),
    prefillTokensPerSecond64: await perSecond(64),
  };
}

/** Median milliseconds of a text's prefill: opening it, plus the excess of the first step over the second. */
async function timePrefill(backend: Backend, { cfg, timesteps, seed }: Settings, tokens: number): Promise<number> {
  const noise = [seededNoise(seed)];
  const times: number[] = [];
  for (let index = 0; index <= prefillRepeats; index += 1) {
    const prefix = textPrefix(tokens + 1, index + tokens);
    const [session, openMs] = await timed(() => backend.open({ ...prefix, cfg, timesteps }));
    const [, firstMs] = await timed(() => takeStep(backend, [session], noise));
    const [, nextMs] = await timed(() => takeStep(backend, [session], noise));
    await session.close();
    times.push(openMs + Math.max(0, firstMs - nextMs));
  }
  return median(times.slice(1));
}

export async function timeStages(
  backend: Backend,
  prefix: Prefix,
  settings: Settings,
  msPerStep: number,
  clocked: ClockedStages | undefined,
): Promise<Omit<StepTimes, 'vae'>> {
  if (clocked !== undefined) {
    const { flow, languageModels, localEncoder } = clocked;
    return { flow, languageModels, localEncoder, other: msPerStep - flow - languageModels - localEncoder };
  }
  const flow = await timeFlow(backend, prefix, settings, msPerStep);
  if (flow === null) return { flow, languageModels: null, localEncoder: null, other: null };
  const rest = msPerStep - flow;
  if (settings.batch > 1) return { flow, languageModels: null, localEncoder: null, other: rest };
  const languageModels = Math.min(rest, await timePosition(backend, settings));
  return { flow, languageModels, localEncoder: null, other: rest - languageModels };
}

/** Milliseconds of both language models for one position; opening leaves the last one to the first step. */
const timePosition = async (backend: Backend, settings: Settings): Promise<number> =>
  Math.max(0, (await timeOpen(backend, 2, settings)) - (await timeOpen(backend, 1, settings)));

/** Milliseconds of flow matching per step: the rest of a step is independent of the number of timesteps. */
async function timeFlow(
  backend: Backend,
  prefix: Prefix,
  settings: Settings,
  msPerStep: number,
): Promise<number | null> {
  const { timesteps } = settings;
  if (flowEvaluations(timesteps) <= flowEvaluations(fewTimesteps)) return null;
  try {
    const few = { ...settings, timesteps: fewTimesteps, patches: fewPatches + warmUpPatches };
    const { steps } = await runUtterances(backend, prefix, few, new Float32Array(0));
    const each =
      (msPerStep - median(steps.slice(warmUpPatches))) / (flowEvaluations(timesteps) - flowEvaluations(fewTimesteps));
    return Math.min(msPerStep, Math.max(0, each * flowEvaluations(timesteps)));
  } catch {
    // The model has a fixed number of timesteps.
    return null;
  }
}
