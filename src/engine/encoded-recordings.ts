/** Encodings of recent recordings: requests that bring the same recording encode it once. */
import type { Audio } from '../audio/audio.ts';
import { createByteLru } from '../content-cache/byte-lru.ts';
import { hashContent } from '../content-cache/content-hash.ts';
import type { EncodedAudio } from './request.ts';

export interface EncodedRecordings {
  /** The patches of a recording, from memory or from `encode`. They belong to the caller. */
  patchesOf(audio: Audio, role: EncodedAudio['role'], encode: () => Promise<Float32Array>): Promise<Float32Array>;
  readonly bytes: number;
}

/** Half a minute of speech takes about 200 KB. */
const maxBytes = 16 * 2 ** 20;

export function createEncodedRecordings(): EncodedRecordings {
  const known = createByteLru<Float32Array>(maxBytes, ({ byteLength }) => byteLength);
  return {
    async patchesOf({ samples, sampleRate }, role, encode) {
      const content = await hashContent(samples);
      if (content === undefined) return encode();
      const key = `${role} ${sampleRate} ${content}`;
      const patches = known.get(key) ?? (await encode());
      known.set(key, patches);
      return patches.slice();
    },
    get bytes() {
      return known.bytes();
    },
  };
}
