/** A complete file in memory, for answers that hold it in base64. */
import { type AudioFormatName, createEncoder } from '../../audio/encode/format.ts';
import type { AudioSink } from '../../audio/encode/sink.ts';
import { SvcError } from '../../errors.ts';

/** Half an hour of MP3; longer speech is for files and streams. */
const mostBytes = 32 * 2 ** 20;

/** @param bytes of a file that an answer holds in base64 @throws SvcError PAYLOAD_TOO_LARGE */
export function assertFitsInAnswer(bytes: number): void {
  if (bytes <= mostBytes) return;
  const problem = `the audio is larger than the limit of ${mostBytes / 2 ** 20} MiB in an answer`;
  throw new SvcError('PAYLOAD_TOO_LARGE', `${problem}; send shorter texts, or ask for a file`);
}

export function createAudioInMemory(format: AudioFormatName) {
  const parts: Uint8Array[] = [];
  let size = 0;
  let file = Buffer.alloc(0);
  return {
    async open(sampleRate: number): Promise<AudioSink> {
      const encoder = await createEncoder({ format, sampleRate }, async (bytes) => {
        size += bytes.length;
        assertFitsInAnswer(size);
        parts.push(bytes);
      });
      return {
        write: encoder.write,
        async finish() {
          const overwrites = await encoder.finish();
          file = Buffer.concat(parts);
          for (const { bytes, position } of overwrites) file.set(bytes, position);
        },
        abort: encoder.close,
      };
    },
    /** The file, after `finish`. */
    bytes: () => file,
  };
}
