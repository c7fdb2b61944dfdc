/** Starts worker threads from the compiled package or from its sources. */
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a thread that runs a file next to the caller's.
 *
 * @param name file name without extension; the extension is the caller's: `.js` when compiled, `.ts` before
 * @example
 * const worker = openThread('./worker', import.meta.url);
 */
export function openThread(name: string, base: string, options: WorkerOptions = {}): Worker {
  const extension = extname(base);
  const url = new URL(`${name}${extension}`, base);
  if (extension !== '.ts') return new Worker(url, options);
  // Sources run through tsx, which threads do not inherit.
  const tsx = pathToFileURL(
    createRequire(import.meta.url)
      .resolve('tsx/esm/api')
      .replace(/\.cjs$/, '.mjs'),
  ).href;
  const start = `import('${tsx}').then(({ register }) => { register(); return import('${url.href}'); });`;
  return new Worker(start, { ...options, eval: true });
}
