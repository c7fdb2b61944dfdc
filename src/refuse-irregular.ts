import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';

function kindOf(found: Stats): string {
  if (found.isFIFO()) return 'a named pipe';
  if (found.isDirectory()) return 'a folder';
  return found.isSocket() ? 'a socket' : 'a device';
}

/**
 * Refuses what has a path but is no file: opening a named pipe waits for its writer in a thread that nothing can interrupt, and a
 * device may have no end. What is not there is left to whoever opens it.
 *
 * @param refuse makes the error from what was found, such as "a named pipe"
 * @example await refuseIrregular(path, (kind) => new SvcError('IO', `expected a file for the store, received ${kind}: ${path}`));
 */
export async function refuseIrregular(path: string, refuse: (kind: string) => Error): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && !found.isFile()) throw refuse(kindOf(found));
}

/** Where the system lists what a process has open: pipes of `<(…)` and of standard input, each with a writer. */
const descriptors = /^\/(dev|proc)\//;

/** Refuses a named pipe alone, for what may be read once from the beginning, unless a shell has made it. */
export async function refuseNamedPipe(path: string, refuse: () => Error): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFIFO() && !descriptors.test(resolve(path))) throw refuse();
}
