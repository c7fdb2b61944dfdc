/** Git LFS leaves a pointer in the place of each large file until `git lfs pull` fetches it (git-lfs, `docs/spec.md`). */
import type { FileHandle } from 'node:fs/promises';
import { type ErrorCode, SvcError } from './errors.ts';

const beginning = 'version https://git-lfs.github.com/spec/';

/** @param start at least the first 40 bytes or characters of a file */
export function isLfsPointer(start: Uint8Array | string): boolean {
  const text =
    typeof start === 'string' ? start : new TextDecoder('latin1').decode(start.subarray(0, beginning.length));
  return text.startsWith(beginning);
}

/** Completes `FILE is …`. */
export const lfsPointer = {
  name: 'a pointer of Git LFS, not the file itself',
  remedy: 'fetch the file in its repository with: git lfs pull',
} as const;

export const lfsPointerError = (source: string, code: ErrorCode = 'MODEL_INVALID'): SvcError =>
  new SvcError(code, `${source} is ${lfsPointer.name}`, { remedy: lfsPointer.remedy });

/** @param source name of the file in messages @throws SvcError MODEL_INVALID */
export async function refuseLfsPointer(handle: FileHandle, source: string): Promise<void> {
  const start = Buffer.alloc(beginning.length);
  await handle.read(start, 0, start.length, 0);
  if (isLfsPointer(start)) throw lfsPointerError(source);
}
