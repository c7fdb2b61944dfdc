/** Parts of a step, and prefill. They are found by differences between calls of the seam, so for any runtime. */
import type { Backend, Prefix } from '../engine/backend.ts';
import type { BenchConfiguration, Measurement, StageTimes } from './configuration.ts';
import { flowEvaluations } from './flow-evaluations.ts';
import { runUtterances } from './run-utterances.ts';
import { median } from './statistics.ts';
import { timed } from './timed.ts';

const prefillLength = 256;
const prefillRepeats = 3;
/** Steps of flow matching of the short runs that its share is found by. */
const fewTimesteps = 2;
const fewPatches = 8;
const warmUpPatches = 3;
const positionRepeats = 9;

type Settings = Pick<BenchConfiguration, 'batch' | 'timesteps' | 'cfg' | 'seed'>;

const textPrefix = (length: number): Prefix => ({
  tokens: Int32Array.from({ length }, (_, index) => 3 + (index % 90)),
  audioMask: new Uint8Array(length),
  features: new Float32Array(0),
});

/** Median milliseconds of opening a session, the first of which is left out. */
async function timeOpen(
  backend: Backend,
  length: number,
  { cfg, timesteps }: Settings,
  repeats: number,
): Promise<number> {
  const prefix = textPrefix(length);
  const times: number[] = [];
  for (let index = 0; index <= repeats; index += 1) {
    const [session, milliseconds] = await timed(() => backend.open(prefix, { cfg, timesteps }));
    times.push(milliseconds);
    await session.close();
  }
  return median(times.slice(1));
}

/** Of a prefix of text. Its last position is left to the first step, as always. */
export async function timePrefill(
  backend: Backend,
  settings: Settings,
): Promise<Pick<Measurement, 'prefillTokens' | 'prefillTokensPerSecond'>> {
  const prefillTokens = Math.min(prefillLength, Math.floor(backend.info.maxLength / 2));
  const milliseconds = await timeOpen(backend, prefillTokens + 1, settings, prefillRepeats);
  return { prefillTokens, prefillTokensPerSecond: (prefillTokens * 1000) / milliseconds };
}

export async function timeStages(
  backend: Backend,
  prefix: Prefix,
  settings: Settings,
  msPerStep: number,
): Promise<Omit<StageTimes, 'vae'>> {
  const flow = await timeFlow(backend, prefix, settings, msPerStep);
  const rest = flow === null ? null : msPerStep - flow;
  if (rest === null || settings.batch > 1) return { flow, rest, languageModels: null, localEncoder: null };
  const languageModels = Math.min(rest, await timePosition(backend, settings));
  return { flow, rest, languageModels, localEncoder: rest - languageModels };
}

/** Both language models for one position: prefill leaves the last position out and needs no local encoder for text. */
const timePosition = async (backend: Backend, settings: Settings): Promise<number> =>
  Math.max(
    0,
    (await timeOpen(backend, 2, settings, positionRepeats)) - (await timeOpen(backend, 1, settings, positionRepeats)),
  );

/** Milliseconds of flow matching in a step: all else in a step is the same for any number of timesteps. */
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
    // Models of one fixed number of timesteps refuse another.
    return null;
  }
}
