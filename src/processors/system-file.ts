import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A file of `/proc` or `/sys`.
 *
 * @param root folder of `proc` and `sys`
 * @returns its text without the last line break; empty if it cannot be read
 */
export function readSystemFile(root: string, path: string): string {
  try {
    return readFileSync(join(root, path), 'utf8').trimEnd();
  } catch {
    return '';
  }
}
