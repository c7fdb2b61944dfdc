/** Names of files beside another one, which no file system is too small for. */
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

/** Bytes of a name on Linux, macOS and Windows. */
const longestName = 255;

/** The beginning of a text, at most so many bytes of UTF-8, without half a character. */
export function cutBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  let bytes = 0;
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > most) break;
    cut += segment;
  }
  return cut;
}

/** A path with more behind its name; of a name that is too long for it the beginning, and a sign of the rest. */
export function besidePath(path: string, suffix: string, prefix = ''): string {
  const name = basename(path);
  const room = longestName - Buffer.byteLength(suffix) - Buffer.byteLength(prefix);
  if (Buffer.byteLength(name) <= room)
    return prefix === '' ? `${path}${suffix}` : join(dirname(path), `${prefix}${name}${suffix}`);
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return join(dirname(path), `${prefix}${cutBytes(name, room - mark.length - 1)}~${mark}${suffix}`);
}
