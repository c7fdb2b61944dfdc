import type { FileHandle } from 'node:fs/promises';

const lineFeed = 0x0a;
const chunkBytes = 64 * 1024;

/**
 * The lines of a file without their line feeds, read as they are taken. Ends at `size`, even when the file has grown;
 * of a line longer than `maxBytes` only so much is given that this shows.
 *
 * Not over a stream of the handle, which closes it when its consumer ends early.
 */
export async function* readLines(
  handle: FileHandle,
  size: number,
  maxBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer): void => {
    if (length <= maxBytes && part.length > 0) parts.push(part);
    length += part.length;
  };
  for await (const chunk of readChunks(handle, size)) {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      keep(chunk.subarray(from, end));
      yield Buffer.concat(parts);
      parts = [];
      length = 0;
      from = end + 1;
    }
    keep(chunk.subarray(from));
  }
  if (length > 0) yield Buffer.concat(parts);
}

async function* readChunks(handle: FileHandle, size: number): AsyncGenerator<Buffer, void, undefined> {
  for (let position = 0; position < size; ) {
    const length = Math.min(chunkBytes, size - position);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
