import type { Backend, Step, StepInput } from '../../src/engine/backend.ts';
import type { Probe } from './stages.ts';

/** A backend with access to its stages, for comparison with golden data. */
export interface Subject extends Backend {
  readonly model: Probe;
  traceStep(batch: readonly StepInput[]): Promise<Step[]>;
}
