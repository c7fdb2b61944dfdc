/** Measures how long a model takes to load, and the memory for it. */
// Imported late by the engine; here, its import isn't part of loading.
import '../engine/backends/native/native.ts';
import { openEngine } from '../engine/open-engine.ts';
import type { BenchConfiguration } from './configuration.ts';
import { peakMemory } from './machine.ts';
import { timed } from './statistics.ts';

export interface LoadingTimes {
  /** Until a request can be taken. */
  readonly loadMs: number;
  readonly peakRssMb: number;
  /** In which the driver of a card made kernels ready; undefined on other devices. */
  readonly compileMs?: number | undefined;
}

/** @throws SvcError */
export async function measureLoading({
  modelPath,
  backend: name,
  device,
  devices,
  threads,
  kernels,
}: BenchConfiguration): Promise<LoadingTimes> {
  const [{ backend, engine }, loadMs] = await timed(() =>
    openEngine(modelPath, { backend: name, device, devices, threads, kernels }, { maxBatch: 1 }),
  );
  const peakRssMb = peakMemory();
  const compileMs = backend.stageTimes?.()?.compile;
  await engine.close();
  return { loadMs, peakRssMb, compileMs };
}
