/** Measures a configuration in its own process. */
import { fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { canceled } from '../cancellation.ts';
import { SvcError, toSvcError } from '../errors.ts';
import type { BenchConfiguration } from './configuration.ts';
import type { TaskName, TaskResult } from './tasks.ts';

/** Message to a child process. */
export interface BenchOrder {
  readonly task: TaskName;
  readonly configuration: BenchConfiguration;
}

export type BenchReply<Result = unknown> =
  | { readonly result: Result }
  | { readonly error: { readonly code: string; readonly message: string } };

export interface IsolateOptions {
  readonly signal: AbortSignal;
  /** Processors that the process may run on; all by default. Needs `taskset`. */
  readonly processors?: readonly number[];
  /** Variables besides those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * @throws SvcError of the measurement; OUT_OF_MEMORY or INTERNAL when the process is killed; CANCELLED
 */
export async function measureInProcess<Name extends TaskName>(
  task: Name,
  configuration: BenchConfiguration,
  { signal, processors, environment }: IsolateOptions,
): Promise<TaskResult<Name>> {
  if (signal.aborted) throw canceled(signal);
  const extension = extname(import.meta.url);
  const { env } = process;
  const nodeOptions = [
    '--no-warnings=ExperimentalWarning',
    // TypeScript sources run through tsx, which a process started by Jest doesn't inherit.
    ...(extension === '.ts' ? ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href] : []),
  ];
  const child = fork(fileURLToPath(new URL(`./child${extension}`, import.meta.url)), [], {
    ...(processors === undefined
      ? { execArgv: nodeOptions }
      : { execPath: 'taskset', execArgv: ['-c', processors.join(','), process.execPath, ...nodeOptions] }),
    env: { ...env, ...environment },
    // Libraries may print to stdout, which is not part of the report.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const onAbort = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const reply = await new Promise<BenchReply<TaskResult<Name>>>((resolve, reject) => {
      child.once('message', (message) => resolve(message as BenchReply<TaskResult<Name>>));
      child.once('error', (error) => reject(toSvcError(error)));
      child.once('exit', (code, killedBy) => reject(signal.aborted ? canceled(signal) : died(code, killedBy)));
      child.send({ task, configuration } satisfies BenchOrder);
    });
    if ('result' in reply) return reply.result;
    throw toSvcError(Object.assign(new Error(reply.error.message), { code: reply.error.code }));
  } finally {
    signal.removeEventListener('abort', onAbort);
    child.kill();
  }
}

const died = (code: number | null, killedBy: NodeJS.Signals | null): SvcError =>
  killedBy === 'SIGKILL'
    ? new SvcError('OUT_OF_MEMORY', 'the system killed the measuring process; is there enough memory?')
    : new SvcError('INTERNAL', `the measuring process ended with ${killedBy ?? `code ${code}`}`);
