/** The process around the command line: arguments, standard streams, signals and the exit code. */
import process from 'node:process';
import { reasonOf } from '../files/file-system.ts';
import { removeTemporaries } from '../files/temporary-files.ts';
import { systemLoudspeaker } from './output/loudspeaker.ts';
import { printError, printWarning } from './output/messages.ts';
import { clearStatus } from './output/status-line.ts';
import { run } from './program.ts';

const controller = new AbortController();

const signals = ['SIGINT', 'SIGTERM'] as const;

let hasEnded = false;

/**
 * The first signal ends the work within one step. The second one kills the process, which leaves no temporary files; so does
 * the first one where only a reader of the output is waited for.
 */
const interrupt = (signal: NodeJS.Signals): void => {
  if (!controller.signal.aborted && !hasEnded) {
    controller.abort();
    return;
  }
  removeTemporaries();
  clearStatus(process.stderr);
  // The lock library has a handler too, which removes its locks and kills the process when it is the only one.
  for (const name of signals) process.removeListener(name, interrupt);
  process.kill(process.pid, signal);
};
for (const name of signals) process.on(name, interrupt);

/** Why standard output did not take everything that was written. */
let loss: NodeJS.ErrnoException | undefined;

// Without a listener, the process would end with a stack trace.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that closes the pipe has what it wanted.
  if (error.code !== 'EPIPE') loss ??= error;
});
process.stderr.on('error', () => undefined);
// At the very end: a failed write is reported after its command has ended.
process.on('exit', (code) => {
  if (loss === undefined || code !== 0) return;
  printError(`cannot write to standard output: ${reasonOf(loss)}`, {
    stderr: process.stderr,
    environment: process.env,
  });
  process.exitCode = 1;
});

// The SDK for S3 announces when it will need a newer Node.js, which is no concern of a user of svc.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: controller.signal,
  environment: process.env,
  loudspeaker: systemLoudspeaker({ environment: process.env, signal: controller.signal }),
  // Loaded late: help and usage errors need no engine.
  openEngine: async (options, callbacks) => {
    const [{ createEngine }, { deviceSettings }] = await Promise.all([
      import('../engine/open-engine.ts'),
      import('./model/device-settings.ts'),
    ]);
    const streams = { stderr: process.stderr, environment: process.env };
    const onWarning = (message: string): void => printWarning(message, streams);
    return createEngine(options, { devices: { ...deviceSettings(streams), onWarning }, ...callbacks });
  },
});

hasEnded = true;
// Nobody waits for a reader that takes nothing, after an interruption.
if (controller.signal.aborted && process.stdout.writableLength > 0) process.exit();
