/** Tasks of a measuring process, by name. */
import { measureContexts } from './contexts.ts';
import { measureFirstAudio } from './first-audio.ts';
import { measureLoading } from './loading.ts';
import { measure, measureSteps } from './measure.ts';

export const tasks = {
  everything: measure,
  steps: measureSteps,
  firstAudio: measureFirstAudio,
  contexts: measureContexts,
  loading: measureLoading,
} as const;

export type TaskName = keyof typeof tasks;
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<(typeof tasks)[Name]>>;
