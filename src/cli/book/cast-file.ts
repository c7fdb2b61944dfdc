/** The cast of a book as a file of YAML. */
import { writeFile } from 'node:fs/promises';
import type { CastFile } from '../../book/cast.ts';
import { SvcError } from '../../errors.ts';
import { reasonOf } from '../../files/file-system.ts';
import { quote } from '../../messages.ts';
import { readTextFile } from '../options/text-input.ts';

/** @throws SvcError INVALID_REQUEST, with the line of what is no YAML */
export async function readCast(path: string, signal: AbortSignal): Promise<CastFile> {
  const [text, { parseCastFile }] = await Promise.all([
    readTextFile(path, 'cast file', signal, 'text'),
    import('../../book/read-book.ts'),
  ]);
  return parseCastFile(text, path, signal);
}

/** @throws SvcError IO, CONFLICT for a file that exists: a person may have edited it */
export async function writeCast(text: string, path: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
      throw new SvcError('CONFLICT', `${quote(path)} exists; name another file, or delete it`, { cause });
    throw new SvcError('IO', `cannot write ${quote(path)}: ${reasonOf(cause)}`, { cause });
  }
}
