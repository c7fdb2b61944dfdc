/** Runs and times sessions, steps and decoding. */
import type { Backend, Prefix, Session, StageTimes, Step } from '../engine/backend.ts';
import { type NoiseSource, seededNoise } from '../engine/noise.ts';
import type { BenchConfiguration } from './configuration.ts';
import { residentMemory } from './machine.ts';
import { growth, median, timed } from './statistics.ts';

export type RunSettings = Pick<BenchConfiguration, 'batch' | 'patches' | 'timesteps' | 'cfg' | 'seed'>;

export interface Run {
  /** Opening all sessions, plus the excess of the first step, which computes the last positions of the prefix. */
  readonly prefillMs: number;
  /** Decoding of the prompt's last patches. */
  readonly contextMs: number;
  readonly steps: readonly number[];
  /** Medians of the later steps; undefined if the runtime doesn't report them. */
  readonly stages: StageTimes | undefined;
  readonly decodes: readonly number[];
  readonly memoryGrowth: number;
}

/** Runs utterances of exactly `patches` patches, ignoring the stop head. */
export async function runUtterances(
  backend: Backend,
  prefix: Prefix,
  { batch, patches, timesteps, cfg, seed }: RunSettings,
  context: Float32Array,
): Promise<Run> {
  const sessions: Session[] = [];
  try {
    const [, openMs] = await timed(async () => {
      for (let index = 0; index < batch; index += 1) sessions.push(await backend.open({ ...prefix, cfg, timesteps }));
    });
    const primed = sessions.map((session) => ({ session, patches: context }));
    const [, contextMs] = context.length === 0 ? [[], 0] : await timed(() => backend.decode(primed));
    const noise = sessions.map((_, index) => seededNoise(seed + index));
    const steps: number[] = [];
    const decodes: number[] = [];
    const memory: number[] = [];
    const laps: StageTimes[] = [];
    for (let index = 0; index < patches; index += 1) {
      const before = backend.stageTimes?.();
      const [outputs, stepMs] = await timed(() => takeStep(backend, sessions, noise));
      const after = backend.stageTimes?.();
      if (index > 0 && before && after) laps.push(difference(after, before));
      const decoding = outputs.map(({ patch }, number) => ({ session: sessions[number] as Session, patches: patch }));
      const [, decodeMs] = await timed(() => backend.decode(decoding));
      steps.push(stepMs);
      decodes.push(decodeMs);
      memory.push(residentMemory());
    }
    const [first = 0, ...later] = steps;
    const beyond = later.length === 0 ? 0 : Math.max(0, first - median(later));
    return {
      prefillMs: openMs + beyond,
      contextMs,
      steps: [first - beyond, ...later],
      stages: laps[0] && mapStages(laps[0], (stage) => median(laps.map((lap) => lap[stage] ?? 0))),
      decodes,
      memoryGrowth: growth(memory),
    };
  } finally {
    for (const session of sessions) await session.close();
  }
}

/** New values for those that the runtime reports. */
const mapStages = (known: StageTimes, value: (stage: keyof StageTimes) => number): StageTimes =>
  Object.fromEntries((Object.keys(known) as (keyof StageTimes)[]).map((stage) => [stage, value(stage)])) as never;

const difference = (after: StageTimes, before: StageTimes): StageTimes =>
  mapStages(after, (stage) => (after[stage] ?? 0) - (before[stage] ?? 0));

/** Computes one patch of every session. */
export function takeStep(
  backend: Backend,
  sessions: readonly Session[],
  noise: readonly NoiseSource[],
): Promise<Step[]> {
  const { patchSize, featureDim } = backend.info;
  return backend.step(
    sessions.map((session, index) => ({
      session,
      noise: (noise[index] as NoiseSource).next(patchSize * featureDim),
    })),
  );
}
