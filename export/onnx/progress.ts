import type { StepName } from './steps.ts';

export interface OnnxExportProgress {
  readonly step: StepName;
  readonly done: number;
  readonly total: number;
  /** Unit of `done` and `total`; bytes are weights written. */
  readonly unit: 'bytes' | 'parts';
}
