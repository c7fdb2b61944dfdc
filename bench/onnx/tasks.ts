/** Entry of the processes of `main.ts`: receives one task and sends back its result. */
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { openCheckpoint } from '../../export/checkpoint.ts';
import type { ModelConfig } from '../../export/model-config.ts';
import type { Session } from '../../src/engine/backend.ts';
import { type OnnxBackend, openOnnxBackend } from '../../src/engine/backends/onnx/open-onnx.ts';
import { seededNoise } from '../../src/engine/noise.ts';
import { capacity, openRebuilt } from './rebuilt-model.ts';

export interface Task {
  readonly kind: 'speeds' | 'probe ours' | 'probe rebuilt';
  /** Folders. */
  readonly ours: string;
  readonly rebuilt: string;
  readonly checkpoint: string;
  readonly threads: number;
  readonly timesteps: number;
  readonly steps: number;
}

/** Milliseconds per step. */
export interface Speed {
  readonly median: number;
  readonly quartile: number;
  readonly minimum: number;
  /** Median CPU time over all threads, which other processes affect less. */
  readonly processorTime: number;
}

export interface Speeds {
  readonly ours: Speed;
  readonly rebuilt: Speed;
}

export interface Probe {
  readonly patch: readonly number[];
  /** Hidden state of the base LM; empty for the rebuilt graphs. */
  readonly hidden: readonly number[];
  readonly peakMegabytes: number;
}

/** One side of the comparison. */
interface Side {
  /** Restarts from the same patch. */
  begin(): Promise<void>;
  next(noise: Float32Array): Promise<Float32Array>;
}

/** Consecutive steps of one side. */
const turn = 5;
/** Warm-up steps. */
const warmUp = 3;
/** Steps per utterance that fit into the caches of both sides. */
const longest = Math.floor((capacity - 1) / turn) * turn;

async function configOf(folder: string): Promise<ModelConfig> {
  const checkpoint = await openCheckpoint(folder);
  await checkpoint[Symbol.asyncDispose]();
  return checkpoint.config;
}

/** Opens an utterance of svc's engine whose prefix is a single patch. */
const openOurs = (backend: OnnxBackend, patch: Float32Array, timesteps: number): Promise<Session> =>
  backend.open({ tokens: Int32Array.of(0), audioMask: Uint8Array.of(1), features: patch.slice(), cfg: 2, timesteps });

async function ourSide(backend: OnnxBackend, patch: Float32Array, timesteps: number): Promise<Side> {
  let session: Session | undefined;
  return {
    async begin() {
      await session?.close();
      session = await openOurs(backend, patch, timesteps);
    },
    async next(noise) {
      const [step] = await backend.step([{ session: session as Session, noise }]);
      return step?.patch as Float32Array;
    },
  };
}

async function rebuiltSide({ checkpoint, rebuilt, threads }: Task, patch: Float32Array): Promise<Side> {
  const model = await openRebuilt(rebuilt, await configOf(checkpoint), threads);
  let before = patch;
  return {
    async begin() {
      before = patch;
      model.rewind();
    },
    async next(noise) {
      before = await model.next(before, noise);
      return before;
    },
  };
}

function speedOf(times: number[], processorTimes: number[]): Speed {
  const at = (values: number[], part: number): number => {
    const sorted = values.toSorted((a, b) => a - b);
    return Math.round((sorted[Math.floor(sorted.length * part)] as number) * 10) / 10;
  };
  return {
    median: at(times, 0.5),
    quartile: at(times, 0.25),
    minimum: at(times, 0),
    processorTime: at(processorTimes, 0.5),
  };
}

/** Alternates both sides, so that other load on the machine affects them equally. */
async function measureSpeeds(task: Task): Promise<Speeds> {
  await using backend = await openOnnxBackend(task.ours, { backend: 'cpu', threads: task.threads });
  const random = seededNoise(1);
  const values = backend.info.patchSize * backend.info.featureDim;
  const patch = random.next(values);
  const sides = [await ourSide(backend, patch, task.timesteps), await rebuiltSide(task, patch)] as const;
  const measured = sides.map(() => ({ times: [] as number[], processorTimes: [] as number[] }));
  for (const side of sides) {
    await side.begin();
    for (let step = 0; step < warmUp; step += 1) await side.next(random.next(values));
    await side.begin();
  }
  for (let first = 0; first < task.steps; first += turn) {
    const noises = Array.from({ length: turn }, () => random.next(values));
    for (const [index, side] of sides.entries()) {
      if (first > 0 && first % longest === 0) await side.begin();
      for (const noise of noises) {
        const usage = process.cpuUsage();
        const start = performance.now();
        await side.next(noise.slice());
        measured[index]?.times.push(performance.now() - start);
        const { user, system } = process.cpuUsage(usage);
        measured[index]?.processorTimes.push((user + system) / 1000);
      }
    }
  }
  const [ours, rebuilt] = measured.map(({ times, processorTimes }) => speedOf(times, processorTimes));
  return { ours: ours as Speed, rebuilt: rebuilt as Speed };
}

/** Peak resident memory of this process. */
async function peakMegabytes(): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const kilobytes = /VmHWM:\s+(\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  return Math.round(Number(kilobytes) / 1000);
}

async function probe(task: Task): Promise<Probe> {
  const random = seededNoise(2);
  const config = await configOf(task.checkpoint);
  const patch = random.next(config.patch_size * config.feat_dim);
  const noise = random.next(patch.length);
  if (task.kind === 'probe rebuilt') {
    const side = await rebuiltSide(task, patch);
    return { patch: [...(await side.next(noise))], hidden: [], peakMegabytes: await peakMegabytes() };
  }
  await using backend = await openOnnxBackend(task.ours, { backend: 'cpu', threads: task.threads });
  const session = await openOurs(backend, patch, task.timesteps);
  const [step] = await backend.traceStep([{ session, noise }]);
  const hidden = [...(step?.lmHidden ?? [])];
  return { patch: [...(step?.patch ?? [])], hidden, peakMegabytes: await peakMegabytes() };
}

process.once('message', async (task: Task) => {
  const result = task.kind === 'speeds' ? await measureSpeeds(task) : await probe(task);
  process.send?.(result, () => process.exit());
});
