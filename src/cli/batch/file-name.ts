import { createHash } from 'node:crypto';
import filenamify from 'filenamify';

/** Characters; at most 180 bytes of UTF-8, so that temporary names stay within the file systems' limit of 255. */
const maxLength = 60;

/**
 * File name of an utterance without its extension: the id if it is a valid file name on every system. Otherwise the
 * valid rest of it and a piece of its hash, so that `a/b` and `a:b` are two files.
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

/** Maps names to one that some file systems don't distinguish: they differ in case or Unicode composition only. */
export const foldName = (name: string): string => name.normalize('NFC').toUpperCase().toLowerCase();
