/** Recordings for recognizers. */
import { encodeWav } from '../audio/encode/wav-encode.ts';
import { resampleByLibrary } from '../audio/resample/library-resample.ts';
import type { Recognize } from '../engine/recognize.ts';

/** In Hz: what recognizers are trained on. */
const sampleRate = 16_000;

/** The bytes of a WAV file: 16 kHz, mono, 16 bits. */
export async function encodeRecording(audio: Parameters<Recognize>[0]): Promise<Uint8Array<ArrayBuffer>> {
  const { samples, sampleRate: from } = audio;
  const resampled = from === sampleRate ? samples : await resampleByLibrary(samples, from, sampleRate);
  return new Uint8Array(encodeWav(resampled, sampleRate));
}
