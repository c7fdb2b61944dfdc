/** Evaluations of the network in flow matching: the first steps have zero velocity and are not computed (`use_cfg_zero_star`). */
export const flowEvaluations = (timesteps: number): number =>
  timesteps - Math.max(1, Math.floor((timesteps + 1) * 0.04));
