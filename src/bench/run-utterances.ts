/** The inner part of every run: sessions, steps, decoding, each timed. */
import type { Backend, Prefix, Session, Step } from '../engine/backend.ts';
import { type NoiseSource, seededNoise } from '../engine/noise.ts';
import type { BenchConfiguration } from './configuration.ts';
import { residentMemory } from './memory.ts';
import { growth } from './statistics.ts';
import { timed } from './timed.ts';

export type RunSettings = Pick<BenchConfiguration, 'batch' | 'patches' | 'timesteps' | 'cfg' | 'seed'>;

export interface Run {
  /** Of all sessions. */
  readonly prefillMs: number;
  /** Decoding of the last patches of the prompt. */
  readonly contextMs: number;
  readonly steps: readonly number[];
  readonly decodes: readonly number[];
  readonly memoryGrowth: number;
}

/** Utterances of exactly so many patches, whatever the stop head says. */
export async function runUtterances(
  backend: Backend,
  prefix: Prefix,
  { batch, patches, timesteps, cfg, seed }: RunSettings,
  context: Float32Array,
): Promise<Run> {
  const sessions: Session[] = [];
  try {
    const [, prefillMs] = await timed(async () => {
      for (let index = 0; index < batch; index += 1) sessions.push(await backend.open(prefix, { cfg, timesteps }));
    });
    const primed = sessions.map((session) => ({ session, patches: context }));
    const [, contextMs] = context.length === 0 ? [[], 0] : await timed(() => backend.decode(primed));
    const noise = sessions.map((_, index) => seededNoise(seed + index));
    const steps: number[] = [];
    const decodes: number[] = [];
    const memory: number[] = [];
    for (let index = 0; index < patches; index += 1) {
      const [outputs, stepMs] = await timed(() => step(backend, sessions, noise));
      const decoding = outputs.map(({ patch }, number) => ({ session: sessions[number] as Session, patches: patch }));
      const [, decodeMs] = await timed(() => backend.decode(decoding));
      steps.push(stepMs);
      decodes.push(decodeMs);
      memory.push(residentMemory());
    }
    return { prefillMs, contextMs, steps, decodes, memoryGrowth: growth(memory) };
  } finally {
    for (const session of sessions) await session.close();
  }
}

function step(backend: Backend, sessions: readonly Session[], noise: readonly NoiseSource[]): Promise<Step[]> {
  const { patchSize, featureDim } = backend.info;
  return backend.step(
    sessions.map((session, index) => ({
      session,
      noise: (noise[index] as NoiseSource).next(patchSize * featureDim),
    })),
  );
}
