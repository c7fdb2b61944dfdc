/** Runs probes of native code in processes of their own, so that a crash or a hang becomes a line of the report. */
import { collectWords, describeEnd, forkProgram } from '../../child-program.ts';
import { SvcError } from '../../errors.ts';
import type { Io } from '../io.ts';
import { type Check, checkOfError } from './check.ts';

export interface Probe {
  /** Name and status of the report's line when the process does not answer. */
  readonly name: string;
  readonly status: Exclude<Check['status'], 'ok'>;
  /** `probe-process.ts` looks up the first; the others are for the probe. */
  readonly parameters: readonly [kind: string, ...rest: string[]];
  /** Milliseconds; default: enough for a cold disk and a busy machine. */
  readonly patience?: number;
}

const remedy = 'reinstall svc; if that does not help, report it with the output of: svc doctor --json';

const defaultPatience = 120_000;

/** Never rejects. */
export function runProbe(
  { name, status, parameters, patience = defaultPatience }: Probe,
  io: Pick<Io, 'environment' | 'signal'>,
): Promise<readonly Check[]> {
  return new Promise((resolve) => {
    let answer: readonly Check[] | undefined;
    const child = forkProgram('./probe-process', import.meta.url, parameters, {
      env: { ...io.environment },
      signal: io.signal,
      timeout: patience,
      killSignal: 'SIGKILL',
    });
    const words = collectWords(child);
    const fail = (message: string): void => {
      resolve([checkOfError(name, status, new SvcError('BACKEND_UNAVAILABLE', message), remedy)]);
    };
    child.on('message', (message) => {
      answer = message as readonly Check[];
    });
    child.on('error', ({ message }) => fail(message));
    child.on('close', (code, signal) => {
      if (answer !== undefined) return resolve(answer);
      const end = signal === 'SIGKILL' ? 'did not answer' : describeEnd(code, signal, words());
      fail(end);
    });
  });
}
