/** The common parts of the sections of `npm run measure-performance`. */
import type { WeightType } from '../../export/gguf/tensor-types.ts';
import type { BenchConfiguration, BenchKernels } from '../../src/bench/configuration.ts';
import { measureInProcess } from '../../src/bench/isolate.ts';
import { medianOf } from '../../src/bench/statistics.ts';
import type { PublishedModel } from '../../src/bench/synthetic/published-configs.ts';
import type { TaskName, TaskResult } from '../../src/bench/tasks.ts';
import type { KernelName } from '../../src/engine/backends/native/kernel-names.ts';

/** Settings of a measurement. */
export interface Settings {
  readonly models: readonly PublishedModel[];
  readonly types: readonly WeightType[];
  readonly threads: number;
  readonly rounds: number;
  readonly patches: number;
  /** VoxCPM.cpp's `voxcpm_tts`. */
  readonly compare: string | undefined;
  /** Our kernels that this processor runs, the fastest first. */
  readonly kernels: readonly KernelName[];
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** The path of a model with random weights. */
  model(name: PublishedModel, type: WeightType): Promise<string>;
  onRun(what: string): void;
}

export interface Table {
  readonly title: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export type Section = (settings: Settings) => Promise<readonly Table[]>;

/** The smallest model, which most sections measure. */
export const firstModel = ({ models, types, model }: Settings): Promise<string> =>
  model(models[0] ?? '0.5b', types[0] ?? 'q8_0');

/** Not supported by VoxCPM.cpp. */
export const isCompared = (model: PublishedModel): boolean => model !== '2';

/** The sentence of published figures; 26 positions. */
const text = 'The quick brown fox jumps over the lazy dog near the river bank.';

export const configure = (
  { threads, patches }: Settings,
  modelPath: string,
  kernels: BenchKernels | undefined,
  changes: Partial<BenchConfiguration> = {},
): BenchConfiguration => ({
  ...{ modelPath, threads, patches, text, engine: 'native', backend: 'cpu', batch: 1 },
  ...{ timesteps: 10, cfg: 2, seed: 1, promptSeconds: 0 },
  ...(kernels === undefined ? {} : { kernels }),
  ...changes,
});

/** Our fastest kernels, and ggml's CPU backend. */
export const rivals = ({ kernels }: Settings): readonly BenchKernels[] => [...kernels.slice(0, 1), 'ggml'];

/** Measures some configurations in turn, in every round; medians of the rounds. */
export async function inTurn<Name extends TaskName>(
  task: Name,
  configurations: readonly BenchConfiguration[],
  { rounds, signal, onRun }: Settings,
): Promise<readonly TaskResult<Name>[]> {
  const results: TaskResult<Name>[][] = configurations.map(() => []);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [index, configuration] of configurations.entries()) {
      onRun(`${task}: ${configuration.modelPath}, ${configuration.kernels}, round ${round} of ${rounds}`);
      results[index]?.push(await measureInProcess(task, configuration, { signal }));
    }
  }
  return results.map((runs) => medianOf(runs));
}

export const fixed = (value: number | null | undefined, digits: number): string =>
  value === null || value === undefined || !Number.isFinite(value) ? '–' : value.toFixed(digits);
