/** Flow matching: the graph of the Euler steps and the embeddings of its schedules. */
import type { Tensor } from 'onnxruntime-common';
import { concatenate } from '../../../../float-arrays.ts';
import type { Graph, TensorConstructor } from '../graph.ts';
import { finiteFloatsOf, float32, requireInterface } from '../graph-interface.ts';
import type { Manifest } from '../manifest.ts';
import { refuse } from '../prefix-check.ts';

/** Maximum number of cached schedules; servers see only a few. */
const maxSchedules = 16;

export interface FlowMember {
  readonly cfg: number;
  /** The previous patch. */
  readonly patch: Float32Array;
}

/** Computes the next patches of all members, concatenated. */
export type Flow = (
  timesteps: number,
  members: readonly FlowMember[],
  noise: readonly Float32Array[],
  condition: Tensor,
) => Promise<Float32Array>;

interface Schedule {
  readonly embeddings: Tensor;
  readonly steps: Tensor;
}

export function createFlow(manifest: Manifest, flow: Graph, schedule: Graph, Tensor: TensorConstructor): Flow {
  checkInterfaces(manifest, flow, schedule);
  const {
    patchSize,
    featureDim,
    flow: { isMeanMode },
  } = manifest;
  const schedules = new Map<number, Schedule>();

  async function scheduleOf(timesteps: number): Promise<Schedule> {
    const known = schedules.get(timesteps);
    if (known) return known;
    const { times, deltas, steps } = flowSchedule({ timesteps, isMeanMode });
    const calls = [times.length];
    const outputs = await schedule.run({
      times: new Tensor('float32', times, calls),
      deltas: new Tensor('float32', deltas, calls),
    });
    const made = { embeddings: outputs.embeddings as Tensor, steps: new Tensor('float32', steps, calls) };
    const [oldest] = schedules.keys();
    if (schedules.size >= maxSchedules && oldest !== undefined) schedules.delete(oldest);
    schedules.set(timesteps, made);
    return made;
  }

  return async (timesteps, members, noise, condition) => {
    const shape = [members.length, patchSize, featureDim];
    const draws = concatenate(noise);
    if (draws.length !== members.length * patchSize * featureDim) {
      refuse(`noise must have ${patchSize * featureDim} values per session, got ${draws.length / members.length}`);
    }
    const guidance = Float32Array.from(members, ({ cfg }) => cfg);
    const outputs = await flow.run(
      {
        noise: new Tensor('float32', draws, shape),
        condition,
        before: new Tensor('float32', concatenate(members.map(({ patch }) => patch)), shape),
        cfg: new Tensor('float32', guidance, [members.length]),
        ...(await scheduleOf(timesteps)),
        zero_star: new Tensor('bool', Uint8Array.of(1), []),
      },
      ['patch'],
    );
    return finiteFloatsOf(outputs, 'patch', draws.length);
  };
}

function checkInterfaces(manifest: Manifest, flow: Graph, schedule: Graph): void {
  const { patchSize, featureDim } = manifest;
  const patch = float32(undefined, patchSize, featureDim);
  requireInterface(flow, manifest.flow.file, {
    inputs: {
      noise: patch,
      condition: float32(undefined, undefined, undefined),
      before: patch,
      cfg: float32(undefined),
      embeddings: float32(undefined, undefined),
      steps: float32(undefined),
      zero_star: { type: 'bool', shape: [] },
    },
    outputs: ['patch'],
  });
  requireInterface(schedule, manifest.schedule.file, {
    inputs: { times: float32(undefined), deltas: float32(undefined) },
    outputs: ['embeddings'],
  });
}

/** The Euler steps, in float32 like `UnifiedCFM` of the official `unified_cfm.py`. */
export interface FlowSchedule {
  /** Time of each call of the estimator. */
  readonly times: Float32Array;
  /** Second time of each call; zeros unless the model was trained for mean velocities. */
  readonly deltas: Float32Array;
  /** Step width of each call. */
  readonly steps: Float32Array;
}

export interface FlowSettings {
  readonly timesteps: number;
  readonly isMeanMode: boolean;
  /** Weight of the sway toward early times. */
  readonly sway?: number;
  /** CFG-Zero*: the first steps have no velocity and are not calls. */
  readonly zeroStar?: 'on' | 'off';
}

const { fround } = Math;

export function flowSchedule({ timesteps, isMeanMode, sway = 1, zeroStar = 'on' }: FlowSettings): FlowSchedule {
  const span = Array.from({ length: timesteps + 1 }, (_, index) => {
    const t = fround(1 - index / timesteps);
    const bent = fround(fround(fround(Math.cos(fround(fround(Math.PI / 2) * t))) - 1) + t);
    return fround(t + fround(fround(sway) * bent));
  });
  const at = (index: number): number => span[index] as number;
  const still = zeroStar === 'on' ? Math.max(1, Math.trunc(span.length * 0.04)) : 0;
  const times: number[] = [];
  const steps: number[] = [];
  let t = at(0);
  let dt = fround(at(0) - at(1));
  for (let step = 1; step <= timesteps; step += 1) {
    if (step > still) {
      times.push(t);
      steps.push(dt);
    }
    t = fround(t - dt);
    if (step < timesteps) dt = fround(t - at(step + 1));
  }
  return {
    times: Float32Array.from(times),
    deltas: isMeanMode ? Float32Array.from(steps) : new Float32Array(steps.length),
    steps: Float32Array.from(steps),
  };
}
