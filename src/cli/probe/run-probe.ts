/** Runs probes of native code in processes of their own, so that a crash or a hang becomes a line of the report. */
import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SvcError } from '../../errors.ts';
import type { Io } from '../io.ts';
import { type Check, checkOfError } from './check.ts';

export interface Probe {
  /** Name and status of the report's line when the process does not answer. */
  readonly name: string;
  readonly status: Exclude<Check['status'], 'ok'>;
  /** `probe-process.ts` looks up the first; the others are for the probe. */
  readonly parameters: readonly [kind: string, ...rest: string[]];
}

const remedy = 'reinstall svc; if that does not help, report it with the output of: svc doctor --json';

/** Milliseconds; enough for a cold disk and a busy machine. */
const patience = 120_000;

/** Never rejects. */
export function runProbe(
  { name, status, parameters }: Probe,
  io: Pick<Io, 'environment' | 'signal'>,
): Promise<readonly Check[]> {
  const extension = extname(import.meta.url);
  const entry = fileURLToPath(new URL(`./probe-process${extension}`, import.meta.url));
  return new Promise((resolve) => {
    let answer: readonly Check[] | undefined;
    let words = '';
    const child = fork(entry, [...parameters], {
      // From its sources the project runs through tsx.
      execArgv: extension === '.ts' ? ['--import', 'tsx'] : [],
      env: { ...io.environment },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      signal: io.signal,
      timeout: patience,
      killSignal: 'SIGKILL',
    });
    const fail = (message: string): void => {
      resolve([checkOfError(name, status, new SvcError('BACKEND_UNAVAILABLE', message), remedy)]);
    };
    child.stderr?.on('data', (text: Buffer) => {
      words = `${words}${text.toString()}`.slice(-2000);
    });
    child.on('message', (message) => {
      answer = message as readonly Check[];
    });
    child.on('error', ({ message }) => fail(message));
    child.on('close', (code, signal) => {
      if (answer !== undefined) return resolve(answer);
      const last = words.trim().split('\n').at(-1) ?? '';
      const end = signal === null ? `exited with code ${code}` : `crashed or did not answer (${signal})`;
      fail(`${end}${last === '' ? '' : `: ${last}`}`);
    });
  });
}
