/** A process that wants the same processors as the run: what remains of the speed when the machine is busy. */
import { type ChildProcess, spawn } from 'node:child_process';
import { SvcError } from '../src/errors.ts';

/**
 * Runs `work` beside one busy process that is bound to the processors; stops it whatever happens.
 *
 * @throws SvcError BACKEND_UNAVAILABLE where a process can't be bound to processors
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
  const unavailable = (received: string, cause?: Error): SvcError =>
    new SvcError('BACKEND_UNAVAILABLE', `expected taskset (util-linux) for --contention, received ${received}`, {
      cause,
    });
  return new Promise((resolve, reject) => {
    busy.once('error', (cause) => reject(unavailable(`none (${process.platform})`, cause)));
    busy.once('exit', (code) => reject(unavailable(`one that ended with code ${code}`)));
    busy.once('spawn', () => resolve());
  });
}
