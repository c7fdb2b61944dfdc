/** Runs a busy process on the same processors, to measure the speed on a busy machine. */
import { type ChildProcess, spawn } from 'node:child_process';
import { SvcError } from '../errors.ts';

/**
 * Runs `work` next to a busy process bound to the processors, and always stops that process.
 *
 * @throws SvcError BACKEND_UNAVAILABLE if processes can't be bound to processors
 */
export async function besideBusyProcess<Result>(
  processors: readonly number[],
  work: () => Promise<Result>,
): Promise<Result> {
  const busy = spawn('taskset', ['-c', processors.join(','), process.execPath, '-e', 'for (;;);'], { stdio: 'ignore' });
  try {
    await started(busy);
    return await work();
  } finally {
    busy.kill('SIGKILL');
  }
}

function started(busy: ChildProcess): Promise<void> {
  const unavailable = (problem: string, cause?: Error): SvcError =>
    new SvcError('BACKEND_UNAVAILABLE', `--contention needs taskset (util-linux), ${problem}`, { cause });
  return new Promise((resolve, reject) => {
    busy.once('error', (cause) => reject(unavailable(`which is not available (${process.platform})`, cause)));
    busy.once('exit', (code) => reject(unavailable(`which exited with code ${code}`)));
    busy.once('spawn', () => resolve());
  });
}
