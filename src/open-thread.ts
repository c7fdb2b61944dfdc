/** Worker threads, from the compiled package and from its sources alike. */
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a thread that runs a file beside the caller's.
 *
 * @param name - of the file, without its extension, which is the caller's: `.js` once compiled, `.ts` before.
 * @example
 * const worker = openThread('./worker', import.meta.url);
 */
export function openThread(name: string, base: string, options: WorkerOptions = {}): Worker {
  const extension = extname(base);
  const url = new URL(`${name}${extension}`, base);
  if (extension !== '.ts') return new Worker(url, options);
  // From its sources the project runs through tsx, which a thread does not inherit.
  const tsx = pathToFileURL(
    createRequire(import.meta.url)
      .resolve('tsx/esm/api')
      .replace(/\.cjs$/, '.mjs'),
  ).href;
  const start = `import('${tsx}').then(({ register }) => { register(); return import('${url.href}'); });`;
  return new Worker(start, { ...options, eval: true });
}
