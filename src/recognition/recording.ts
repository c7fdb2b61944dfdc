/** Recordings for recognizers. */
import { encodeWav } from '../audio/encode/wav-encode.ts';
import { resampleByLibrary } from '../audio/resample/library-resample.ts';
import { followSignal } from '../cancellation.ts';
import type { Recognize } from '../engine/recognize.ts';
import type { SvcError } from '../errors.ts';

/** In Hz: what recognizers are trained on. */
const sampleRate = 16_000;

/** The bytes of a WAV file: 16 kHz, mono, 16 bits. */
export async function encodeRecording(audio: Parameters<Recognize>[0]): Promise<Uint8Array<ArrayBuffer>> {
  const { samples, sampleRate: from } = audio;
  const resampled = from === sampleRate ? samples : await resampleByLibrary(samples, from, sampleRate);
  return new Uint8Array(encodeWav(resampled, sampleRate));
}

const leastSeconds = 60;
/** A large model on a slow machine. */
const secondsPerSecond = 10;

/** Time for a recording: a minute, and ten times its length. */
export const timeLimit = ({ samples, sampleRate }: Parameters<Recognize>[0]): number =>
  leastSeconds + Math.ceil((samples.length / sampleRate) * secondsPerSecond);

/** Runs `work` with a signal that also fires after some seconds, with the error of `late`. */
export async function within<Result>(
  seconds: number,
  { signal, late }: { readonly signal: AbortSignal; readonly late: () => SvcError },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lifetime = followSignal(signal);
  const timer = setTimeout(() => lifetime.end(late()), seconds * 1000);
  try {
    return await work(lifetime.signal);
  } finally {
    clearTimeout(timer);
    lifetime.detach();
  }
}
