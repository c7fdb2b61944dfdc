/** Raw samples in a file, hashed as they are written: a chapter of an hour needn't be read again. */
import { createHash } from 'node:crypto';
import { openEncoder } from '../../audio/encode/format.ts';
import { type AudioSink, createFileSink, through } from '../../audio/encode/sink.ts';

export interface HashedPcmFile extends AudioSink {
  /** Digest of its bytes; SHA-256, hexadecimal. To be called once, when the file is complete. */
  digest(): string;
  /** Number of samples so far. */
  samples(): number;
}

/** 16 bits a sample. @throws SvcError as `createFileSink` */
export async function createHashedPcmFile(path: string, sampleRate: number): Promise<HashedPcmFile> {
  const encoder = await openEncoder({ format: 'pcm', sampleFormat: 's16', sampleRate });
  const file = await createFileSink(path);
  const hash = createHash('sha256');
  let size = 0;
  const sink = through(encoder, {
    ...file,
    async write(encoded) {
      for (const { bytes } of encoded) {
        hash.update(bytes);
        size += bytes.length;
      }
      await file.write(encoded);
    },
  });
  return { ...sink, digest: () => hash.digest('hex'), samples: () => size / 2 };
}
