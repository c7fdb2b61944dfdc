/** Temporary files in use, so that a process that is killed while it cleans up leaves none. */
import { rmSync } from 'node:fs';

const inUse = new Set<string>();

/**
 * Notes a temporary file or folder before it is created.
 *
 * @returns call it when the path is gone or has its final name
 */
export function noteTemporary(path: string): () => void {
  inUse.add(path);
  return () => void inUse.delete(path);
}

/** Removes all that are in use; for a process that is about to end. Never throws. */
export function removeTemporaries(): void {
  for (const path of inUse) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // The others are still to be removed.
    }
  }
  inUse.clear();
}
