import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The folder itself, or the nearest one above it that exists. */
export function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

/** Whether this user may create files in a folder. */
export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}
