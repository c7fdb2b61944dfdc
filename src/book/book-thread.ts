/** Reads books in worker threads: their parsers can't be interrupted, and a document may take them long. */
import { stat } from 'node:fs/promises';
import { SvcError } from '../errors.ts';
import { ThreadPool } from '../processors/thread-pool.ts';
import type { BookJob, BookJobs, BookReply, BookResult } from './book-jobs.ts';

/** Ten times what documents take, on a machine that does nothing else. */
const limit = { seconds: 120, secondsPerMegabyte: 5 } as const;

const pool = new ThreadPool<BookReply>({
  name: 'thread that reads books',
  // A text of 64 MiB takes 700 MB.
  heapMegabytes: 2_048,
  program: ['./book-worker', import.meta.url],
});

/**
 * The time is limited by the size of the document.
 *
 * @throws SvcError of the job; CANCELLED; INVALID_REQUEST for a document that takes too long, or too much memory
 */
export async function inBookThread<Kind extends keyof BookJobs>(
  job: BookJob & { readonly kind: Kind },
  signal: AbortSignal | undefined,
): Promise<BookResult<Kind>> {
  const given = 'text' in job ? job.text?.length : undefined;
  // A folder, or a missing file.
  const size = given ?? (await stat(job.path).catch(() => undefined))?.size ?? 0;
  const seconds = Math.round(limit.seconds + (limit.secondsPerMegabyte * size) / 1e6);
  const items: unknown[] = [];
  const reply = await pool.run({
    message: job,
    milliseconds: seconds * 1_000,
    signal,
    isLast(reply, worker) {
      if (reply.kind === 'end') return true;
      for (const item of reply.items) items.push(item);
      // In another turn of the event loop.
      setImmediate(() => worker.postMessage('next'));
      return false;
    },
    exceeds(what) {
      const much =
        what === 'time'
          ? `longer to read than the limit of ${seconds} s`
          : 'more memory to read than the limit of 2 GB';
      const remedy = 'save it as EPUB or plain text';
      return new SvcError('INVALID_REQUEST', `${job.path}: the file takes ${much}`, { remedy });
    },
  });
  return { items, rest: (reply as Extract<BookReply, { readonly kind: 'end' }>).rest } as BookResult<Kind>;
}
