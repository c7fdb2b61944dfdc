/**
 * Reads books in a thread. Their parsers can't be interrupted, and a document may take them long: in a thread they block
 * nothing, can be terminated, and have a limit of time and of memory.
 */
import type { Worker } from 'node:worker_threads';
import { canceled, throwIfCanceled, waitFor } from '../cancellation.ts';
import { SvcError, toSvcError } from '../errors.ts';
import { openThread } from '../worker-thread.ts';
import type { BookJob, BookJobs, BookReply, BookResult } from './book-jobs.ts';

/** Limit of the heap of a thread; a text of 64 MiB takes 700 MB. */
const heapMegabytes = 2_048;
/** How long an idle thread is kept: starting one takes about 40 ms. */
const idleMilliseconds = 5_000;
/** Ten times what documents take, on a machine that does nothing else. */
const limit = { seconds: 120, secondsPerMegabyte: 5 } as const;

interface Thread {
  readonly worker: Worker;
  /** The code of the thread has been loaded. */
  ready: boolean;
  retirement?: NodeJS.Timeout;
}

const idle: Thread[] = [];

/**
 * @param size of the document in bytes, by which its time is limited
 * @throws SvcError of the job; CANCELLED; INVALID_REQUEST for a document that takes too long, or too much memory
 */
export async function inBookThread<Kind extends keyof BookJobs>(
  job: BookJob & { readonly kind: Kind },
  { size, signal }: { readonly size: number; readonly signal: AbortSignal | undefined },
): Promise<BookResult<Kind>> {
  throwIfCanceled(signal);
  const thread = idle.pop() ?? startThread();
  clearTimeout(thread.retirement);
  try {
    const result = await ask(thread, job, size, signal);
    keep(thread);
    return result as BookResult<Kind>;
  } catch (error) {
    if (error instanceof JobError) {
      keep(thread);
      throw toSvcError(error.cause);
    }
    void thread.worker.terminate();
    throw signal?.aborted ? canceled(signal) : error;
  }
}

/** Failure of the job itself: the thread continues. */
class JobError extends Error {}

function startThread(): Thread {
  // Parsers may print; errors are one line.
  const worker = openThread('./book-worker', import.meta.url, {
    stdout: true,
    stderr: true,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  const thread: Thread = { worker, ready: false };
  worker.on('exit', () => forget(thread));
  // Without a listener a failure between two jobs would end the process.
  worker.on('error', () => undefined);
  return thread;
}

function keep(thread: Thread): void {
  thread.worker.unref();
  idle.push(thread);
  const retire = (): void => {
    forget(thread);
    void thread.worker.terminate();
  };
  thread.retirement = setTimeout(retire, idleMilliseconds).unref();
}

function forget(thread: Thread): void {
  const place = idle.indexOf(thread);
  if (place >= 0) idle.splice(place, 1);
}

function ask(
  thread: Thread,
  job: BookJob,
  size: number,
  signal: AbortSignal | undefined,
): Promise<BookResult<keyof BookJobs>> {
  const { worker } = thread;
  const seconds = Math.round(limit.seconds + (limit.secondsPerMegabyte * size) / 1e6);
  const items: unknown[] = [];
  let timer: NodeJS.Timeout | undefined;
  let stopListening = (): void => undefined;
  const begin = (resolve: (result: BookResult<keyof BookJobs>) => void, reject: (reason: unknown) => void): void => {
    const startTimer = (): void => {
      // Not in the same turn: if this thread was busy, the answer may be queued behind the timer.
      timer = setTimeout(() => setImmediate(() => reject(tooSlow(job.path, seconds))), seconds * 1_000);
    };
    const answered = (reply: BookReply): void => {
      if (reply.kind === 'ready') {
        thread.ready = true;
        startTimer();
      } else if (reply.kind === 'items') {
        for (const item of reply.items) items.push(item);
        // In another turn of the event loop.
        setImmediate(() => worker.postMessage('next'));
      } else if (reply.kind === 'end') resolve({ items, rest: reply.rest } as BookResult<keyof BookJobs>);
      else reject(new JobError('', { cause: reply.error }));
    };
    const failed = (error: Error): void => reject(failureOf(error, job.path));
    const ended = (): void => reject(new SvcError('INTERNAL', 'the thread of books exited'));
    worker.on('message', answered).on('error', failed).on('exit', ended);
    stopListening = () => void worker.off('message', answered).off('error', failed).off('exit', ended);
    worker.ref();
    worker.postMessage(job);
    if (thread.ready) startTimer();
  };
  const end = (): void => {
    clearTimeout(timer);
    stopListening();
  };
  return waitFor(signal, begin, end);
}

const tooSlow = (path: string, seconds: number): SvcError =>
  new SvcError('INVALID_REQUEST', `${path}: the file takes longer to read than the limit of ${seconds} s`, {
    remedy: 'save it as EPUB or plain text',
  });

function failureOf(error: Error & { readonly code?: string }, path: string): SvcError {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new SvcError('INVALID_REQUEST', `${path}: the file takes more memory to read than the limit of 2 GB`, {
      remedy: 'save it as EPUB or plain text',
      cause: error,
    });
  if (error.code === 'ERR_MODULE_NOT_FOUND')
    return new SvcError('BACKEND_UNAVAILABLE', 'cannot start the thread that reads books', {
      remedy: 'in a bundled program, mark this package as external',
      cause: error,
    });
  return new SvcError('INTERNAL', `the thread of books failed: ${error.message}`, { cause: error });
}
