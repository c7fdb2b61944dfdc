/** The process around the command line: arguments, standard streams, signals and the exit code. */
import process from 'node:process';
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

// Without a listener a reader that has gone would end the process with a stack trace.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: controller.signal,
  environment: process.env,
  // Loaded late: help and mistakes in the arguments need no engine.
  openEngine: async (options, observer) => (await import('../engine/open-engine.ts')).createEngine(options, observer),
});
