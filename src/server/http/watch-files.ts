import { unwatchFile, watchFile } from 'node:fs';

const defaultCheckMilliseconds = 1_000;

/**
 * Calls `changed` after one of the files was changed, replaced or removed. Polls, which also works for files that are
 * replaced through links, as in Kubernetes, and on network file systems.
 *
 * @param changed must not reject; calls don't overlap
 * @param checkMilliseconds how often they are checked
 * @returns a function that ends the watch
 */
export function watchFiles(
  paths: readonly string[],
  changed: () => Promise<void>,
  checkMilliseconds = defaultCheckMilliseconds,
): () => void {
  let last = Promise.resolve();
  const listener = (): void => {
    last = last.then(changed);
  };
  for (const path of paths) watchFile(path, { interval: checkMilliseconds, persistent: false }, listener);
  return () => {
    for (const path of paths) unwatchFile(path, listener);
  };
}
