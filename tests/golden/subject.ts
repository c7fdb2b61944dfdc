import type { Backend, StepInput } from '../../src/engine/backend.ts';
import type { Probe } from './stages.ts';

/** What a patch was made from. */
export interface StepTrace {
  readonly patch: Float32Array;
  /** `[continue, stop]`. */
  readonly stopLogits: Float32Array;
  readonly lmHidden?: Float32Array;
  readonly residualHidden?: Float32Array;
}

/** What is held against the golden data: a backend whose stages can be looked into. */
export interface Subject extends Backend {
  readonly model: Probe;
  traceStep(batch: readonly StepInput[]): Promise<StepTrace[]>;
}
