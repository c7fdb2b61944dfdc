/** Recordings that clients send again are decoded, and denoised, once; so are those of several texts of a request. */
import type { Audio } from '../../audio/audio.ts';
import { type DecodeOptions, decodeAudio } from '../../audio/decode/read-audio.ts';
import { noteFinite } from '../../audio/finite-samples.ts';
import { hashContent } from '../../content-cache/content-hash.ts';
import { createSharedValues } from '../../content-cache/shared-values.ts';

/** Ten seconds at 48 kHz take 1.9 MB. */
const maxBytes = 32 * 2 ** 20;

/** The content alone decides, so servers of one process share them. */
const decoded = createSharedValues<Audio>(maxBytes, ({ samples }) => samples.byteLength);

interface Upload {
  readonly hash: Promise<string | undefined>;
  /** Audio by the options of its decoding; also audio that is too large to be kept for others. */
  readonly audio: Map<string, Audio>;
}

/** Recordings in use: each text of a request has the same bytes. */
const uploads = new WeakMap<Uint8Array, Upload>();

function uploadOf(bytes: Uint8Array): Upload {
  const upload = uploads.get(bytes) ?? { hash: hashContent(bytes), audio: new Map() };
  uploads.set(bytes, upload);
  return upload;
}

/** As `decodeAudio`. Callers share the samples, so they must not change them, nor the bytes. */
export async function decodeRecording(bytes: Uint8Array, options: DecodeOptions): Promise<Audio> {
  const { maxSeconds, denoise, signal } = options;
  const upload = uploadOf(bytes);
  const content = await upload.hash;
  const settings = `${maxSeconds} ${denoise}`;
  const known = upload.audio.get(settings);
  if (known !== undefined) return known;
  const make = () => decodeAudio(bytes, options);
  const audio = content === undefined ? await make() : await decoded.get(`${settings} ${content}`, make, signal);
  noteFinite(audio.samples);
  upload.audio.set(settings, audio);
  return audio;
}
