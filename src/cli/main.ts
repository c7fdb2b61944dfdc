/** The process around the command line: arguments, standard streams, signals and the exit code. */

import process from 'node:process';
import { reasonOf } from '../files.ts';
import { run } from './program.ts';

const controller = new AbortController();

/** The first signal ends the work within one step. The second finds no handler and kills. */
const interrupt = (): void => {
  // Not at once: the library of locks has a handler too, which kills when it finds itself alone.
  setImmediate(() => {
    process.removeListener('SIGINT', interrupt);
    process.removeListener('SIGTERM', interrupt);
  });
  controller.abort();
};
process.on('SIGINT', interrupt);
process.on('SIGTERM', interrupt);

/** Why standard output did not take all of what was written. */
let loss: NodeJS.ErrnoException | undefined;

// Without a listener the process would end with a stack trace.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that has gone has what it wanted.
  if (error.code !== 'EPIPE') loss ??= error;
});
process.stderr.on('error', () => undefined);
// At the very end: a failed write is told of after the command that made it has ended.
process.on('exit', (code) => {
  if (loss === undefined || code !== 0) return;
  process.stderr.write(`svc: expected to write to standard output, received ${reasonOf(loss)}\n`);
  process.exitCode = 1;
});

process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: controller.signal,
  environment: process.env,
  // Loaded late: help and mistakes in the arguments need no engine.
  openEngine: async (options, observer) => (await import('../engine/open-engine.ts')).createEngine(options, observer),
});
