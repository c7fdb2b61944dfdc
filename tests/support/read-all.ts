import type { Readable } from 'node:stream';

/** Everything that a stream holds by now; one `read` gives a single chunk of it from Node.js 26 on. */
export function readAll(stream: Readable): Buffer {
  const chunks: Buffer[] = [];
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
