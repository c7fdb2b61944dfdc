import type { Backend, StepInput } from '../../src/engine/backend.ts';
import type { StepOutput } from '../../src/engine/backends/model-port.ts';
import type { Probe } from './stages.ts';

/** What is held against the golden data: a backend whose stages can be looked into. */
export interface Subject extends Backend {
  readonly model: Probe;
  traceStep(batch: readonly StepInput[]): Promise<StepOutput[]>;
}
