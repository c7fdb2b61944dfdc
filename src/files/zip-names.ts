/** The names of the files in a ZIP archive, to know what it is before it is opened. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The end of the directory, with the longest comment. */
const longestEnd = 22 + 65_535;
const mostBytes = 4 * 1024 * 1024;
const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;

/** @returns none for an archive that is damaged, or can't be read */
export function zipNames(path: string): readonly string[] {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const { size } = fstatSync(file);
    const tail = readAt(file, Math.max(0, size - longestEnd), Math.min(size, longestEnd));
    const end = endOfDirectory(tail);
    if (end === undefined) return [];
    const length = Math.min(tail.readUInt32LE(end + 12), mostBytes);
    return namesIn(readAt(file, tail.readUInt32LE(end + 16), length));
  } catch {
    return [];
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}

function endOfDirectory(tail: Buffer): number | undefined {
  for (let at = tail.length - 22; at >= 0; at -= 1) if (tail.readUInt32LE(at) === endSignature) return at;
  return undefined;
}

function namesIn(directory: Buffer): readonly string[] {
  const names: string[] = [];
  let at = 0;
  while (at + 46 <= directory.length && directory.readUInt32LE(at) === entrySignature) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => directory.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    names.push(directory.toString('utf8', at + 46, at + 46 + name));
    at += 46 + name + extra + comment;
  }
  return names;
}
