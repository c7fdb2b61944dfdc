import { createHash } from 'node:crypto';
import filenamify from 'filenamify';

/** At most 180 bytes of UTF-8, so that a temporary name of the file stays within the 255 of file systems. */
const maxLength = 60;

/**
 * The name, without extension, of the file of an utterance: the id itself where that is a good file name on every
 * system. Else what is left of it, and a piece of its hash, so that `a/b` and `a:b` are two files.
 *
 * @example
 * fileNameOf('chapter-1'); // chapter-1
 * fileNameOf('../etc/passwd'); // _etc_passwd-8ddb9d34
 */
export function fileNameOf(id: string): string {
  const name = filenamify(id, { replacement: '_', maxLength }).trim().replace(/^\.+/, '_');
  if (name === id) return name;
  return `${name}-${createHash('sha256').update(id).digest('hex').slice(0, 8)}`;
}

/** The same for names that some file system takes for one: those that differ in case or in how letters are composed. */
export const foldName = (name: string): string => name.normalize('NFC').toUpperCase().toLowerCase();
