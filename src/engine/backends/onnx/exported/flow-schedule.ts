/** The Euler steps of flow matching, in float32 as `UnifiedCFM` of the official `unified_cfm.py` computes them. */

export interface FlowSchedule {
  /** Time that each call of the estimator is given. */
  readonly times: Float32Array;
  /** Second time of each call; zeros unless the model was trained for mean velocities. */
  readonly deltas: Float32Array;
  /** How far each call moves. */
  readonly steps: Float32Array;
}

export interface FlowSettings {
  readonly timesteps: number;
  readonly isMeanMode: boolean;
  /** Weight of the sway towards early times. */
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
