/** Probes that run native code, each in a process of its own: one that crashes or hangs is a line of the report. */
import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SvcError } from '../../errors.ts';
import type { Io } from '../io.ts';
import { type Check, checkOfError } from './check.ts';

export interface Probe {
  /** Of the report's line when the process gives no answer. */
  readonly name: string;
  readonly status: Exclude<Check['status'], 'ok'>;
  /** `probe-process.ts` knows the first, the probe the others. */
  readonly parameters: readonly [kind: string, ...rest: string[]];
}

const remedy = 'reinstall svc; if that does not help, report it with the output of: svc doctor --json';

/** A cold disk and a busy machine included. */
const patience = 120_000;

/** Never rejects. */
export function runProbe({ name, status, parameters }: Probe, io: Io): Promise<readonly Check[]> {
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
    const fail = (received: string): void => {
      resolve([checkOfError(name, status, new SvcError('BACKEND_UNAVAILABLE', received), remedy)]);
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
      const end = signal === null ? `exit code ${code}` : `a crash or no answer (${signal})`;
      fail(`${end}${last === '' ? '' : `: ${last}`}`);
    });
  });
}
