import type { FileHandle } from 'node:fs/promises';

const lineFeed = 0x0a;
const chunkBytes = 64 * 1024;

/**
 * Lines of a file without their line feeds, read as they are consumed. Ends at `size`, even if the file has grown. A line
 * longer than `maxBytes` is cut somewhere beyond that.
 *
 * Uses no stream of the handle, which would close it when the consumer stops early.
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
