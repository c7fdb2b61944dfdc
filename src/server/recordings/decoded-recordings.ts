/** Recordings that clients send again are decoded, and denoised, once. */

import type { Audio } from '../../audio/audio.ts';
import { type DecodeOptions, decodeAudio } from '../../audio/decode/read-audio.ts';
import { createByteLru } from '../../content-cache/byte-lru.ts';
import { hashContent } from '../../content-cache/content-hash.ts';

/** Ten seconds at 48 kHz take 1.9 MB. */
const maxBytes = 32 * 2 ** 20;

/** The content alone decides, so servers of one process share them. */
const decoded = createByteLru<Audio>(maxBytes, ({ samples }) => samples.byteLength);

/** As `decodeAudio`. Callers share the samples, so they must not change them. */
export async function decodeRecording(bytes: Uint8Array, options: DecodeOptions): Promise<Audio> {
  const { maxSeconds, denoise } = options;
  const content = await hashContent(bytes);
  if (content === undefined) return decodeAudio(bytes, options);
  const key = `${maxSeconds} ${denoise} ${content}`;
  const audio = decoded.get(key) ?? (await decodeAudio(bytes, options));
  decoded.set(key, audio);
  return audio;
}
