/** Measures the memory bandwidth of this machine, which limits the speed of a step over the weights. */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { canceled } from '../cancellation.ts';

/** Per thread; several times the size of any cache. */
const bufferBytes = 256 * 1024 * 1024;
const passes = 8;

/**
 * Searches for an absent byte: `indexOf` calls `memchr` of the C library, which only loads every cache line in order.
 * Pages are written first, since all untouched pages share one.
 */
const reader = `
const { parentPort } = require('node:worker_threads');
const buffer = Buffer.alloc(${bufferBytes}, 1);
parentPort.on('message', () => {
  buffer.indexOf(2);
  parentPort.postMessage('read');
});
parentPort.postMessage('ready');`;

/**
 * Bytes per second that `threads` threads read from memory together: the best of several passes, since other processes
 * can only slow it down. At most one thread per logical processor reads, as more read no faster. Uses pages of the usual size; weights in huge pages are read up to a third faster.
 */
export async function memoryBandwidth(threads: number, signal: AbortSignal): Promise<number> {
  const readers = Math.min(threads, availableParallelism());
  const workers = Array.from({ length: readers }, () => new Worker(reader, { eval: true }));
  try {
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    let best = 0;
    for (let pass = 0; pass < passes; pass += 1) {
      if (signal.aborted) throw canceled(signal);
      const started = performance.now();
      const read = workers.map((worker) => once(worker, 'message'));
      for (const worker of workers) worker.postMessage('read');
      await Promise.all(read);
      best = Math.max(best, (readers * bufferBytes * 1000) / (performance.now() - started));
    }
    return best;
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
