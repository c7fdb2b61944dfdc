/** Measures how steps and prefills depend on the length of the context. */

import { seededNoise } from '../engine/noise.ts';
import { openEngine } from '../engine/open-engine.ts';
import type { BenchConfiguration } from './configuration.ts';
import { takeStep } from './run-utterances.ts';
import { textPrefix } from './stages.ts';
import { median, timed } from './statistics.ts';

const shortPositions = 20;
const longPositions = 3500;
/** Steps of each length, in turn; the first one completes the prefix and isn't counted. */
const steps = 9;

export interface ContextTimes {
  readonly shortPositions: number;
  readonly longPositions: number;
  /** Median steps of an utterance that starts with that many positions. */
  readonly shortStepMs: number;
  readonly longStepMs: number;
  /** Prefill of the long one. */
  readonly longPrefillMs: number;
}

/** @throws SvcError */
export async function measureContexts(configuration: BenchConfiguration): Promise<ContextTimes> {
  const { modelPath, backend: name, threads, kernels, seed } = configuration;
  const { backend, engine } = await openEngine(modelPath, { backend: name, threads, kernels }, { maxBatch: 1 });
  try {
    const { cfg, timesteps } = configuration;
    const noise = [seededNoise(seed)];
    const open = async (positions: number) => {
      const [session, openMs] = await timed(() => backend.open({ ...textPrefix(positions + 1), cfg, timesteps }));
      const [, firstMs] = await timed(() => takeStep(backend, [session], noise));
      return { positions, session, prefixMs: openMs + firstMs, times: [] as number[] };
    };
    const short = await open(shortPositions);
    const long = await open(Math.min(longPositions, backend.info.contextLength - steps - 1));
    for (let step = 1; step < steps; step += 1) {
      for (const { session, times } of [short, long]) {
        times.push((await timed(() => takeStep(backend, [session], noise)))[1]);
      }
    }
    for (const { session } of [short, long]) await session.close();
    const longStepMs = median(long.times);
    return {
      shortPositions,
      longPositions: long.positions,
      shortStepMs: median(short.times),
      longStepMs,
      longPrefillMs: long.prefixMs - longStepMs,
    };
  } finally {
    await engine.close();
  }
}
