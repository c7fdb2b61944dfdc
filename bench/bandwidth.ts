/** How fast this machine reads memory: what a step over the weights can't be faster than. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { cancelled } from '../src/engine/cancellation.ts';

/** Of each thread; several times any cache. */
const bufferBytes = 256 * 1024 * 1024;
const passes = 8;

/**
 * Looks for a byte that isn't there, with `memchr` of the C library behind `indexOf`: vector loads of every line, in
 * order, and nothing else. Pages are written first, since untouched ones are all one page.
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
 * Bytes a second that so many threads read from memory together: the best of some passes, as others can only take away.
 * Pages are the system's usual ones; weights that lie in huge pages are read up to a third faster.
 */
export async function memoryBandwidth(threads: number, signal: AbortSignal): Promise<number> {
  const workers = Array.from({ length: threads }, () => new Worker(reader, { eval: true }));
  try {
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    let best = 0;
    for (let pass = 0; pass < passes; pass += 1) {
      if (signal.aborted) throw cancelled(signal);
      const started = performance.now();
      const read = workers.map((worker) => once(worker, 'message'));
      for (const worker of workers) worker.postMessage('read');
      await Promise.all(read);
      best = Math.max(best, (threads * bufferBytes * 1000) / (performance.now() - started));
    }
    return best;
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
