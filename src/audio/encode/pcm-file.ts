import { createReadStream } from 'node:fs';

const fullScale = 0x8000;

/** Samples of a file of raw 16-bit little-endian PCM, in pieces. */
export async function* readPcmFile(path: string): AsyncGenerator<Float32Array, void, undefined> {
  // Pieces of a file are whole samples, as all but the last have this size.
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 17 })) {
    const bytes = piece as Buffer;
    const samples = new Float32Array(bytes.length >> 1);
    for (let index = 0; index < samples.length; index += 1) samples[index] = bytes.readInt16LE(2 * index) / fullScale;
    yield samples;
  }
}
