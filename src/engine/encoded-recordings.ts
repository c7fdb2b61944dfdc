/** Encodings of recent recordings: requests that bring the same recording encode it once. */
import type { Audio } from '../audio/audio.ts';
import { hashContent } from '../content-cache/content-hash.ts';
import { createSharedValues } from '../content-cache/shared-values.ts';
import type { EncodedAudio } from './voice-fields.ts';

/** Half a minute of speech takes about 200 KB. */
const maxBytes = 16 * 2 ** 20;

export function createEncodedRecordings() {
  const known = createSharedValues<Float32Array>(maxBytes, ({ byteLength }) => byteLength);
  return {
    /** The patches of a recording, from memory, from a request that encodes it, or from `encode`. They belong to the caller. */
    async patchesOf(
      { samples, sampleRate }: Audio,
      role: EncodedAudio['role'],
      encode: () => Promise<Float32Array>,
      signal?: AbortSignal,
    ): Promise<Float32Array> {
      const content = await hashContent(samples);
      if (content === undefined) return encode();
      return (await known.get(`${role} ${sampleRate} ${content}`, encode, signal)).slice();
    },
    bytes: known.bytes,
  };
}
