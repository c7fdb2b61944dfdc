import { toSvcError } from '../../errors.ts';

/** One line of the report. */
export interface Check {
  readonly name: string;
  /** `missing`: an optional part is absent. `failed`: a required part does not work. */
  readonly status: 'ok' | 'missing' | 'failed';
  /** One line. */
  readonly summary: string;
  /** How to fix it. */
  readonly remedy?: string | undefined;
  /** Code of the underlying error. */
  readonly code?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** Checks that text reports in one line. */
  readonly part?: 'packages' | undefined;
}

type Problem = Exclude<Check['status'], 'ok'>;

/** @param otherwise the remedy if the error has none */
export function checkOfError(name: string, status: Problem, thrown: unknown, otherwise?: string): Check {
  const { code, problem, remedy = otherwise } = toSvcError(thrown);
  const [summary = ''] = problem.split('\n');
  return { name, status, summary, remedy, code };
}
