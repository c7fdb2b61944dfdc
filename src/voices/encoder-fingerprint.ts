/**
 * Fingerprints of audio encoders, which decide whether two models can share voices.
 *
 * Only the audio encoder matters: all weight types of a model, and all models with the same encoder, share voices. The
 * fingerprint is a fixed sound encoded by the model. Its last digits differ between devices and weight types, so it is
 * stored as numbers and compared with a tolerance, not hashed.
 */
import type { Audio } from '../audio/audio.ts';
import type { ModelInfo } from '../engine/backend.ts';
import type { SpeechSource } from '../engine/speech-source.ts';

/**
 * Maximum difference between outputs of the same encoder, relative to their size: F16 weights are within 0.01,
 * different encoders at 1 or more.
 */
const tolerance = 0.1;

const known = new WeakMap<SpeechSource, Promise<string>>();

/** The fingerprint of the encoder of a model: ASCII, of bounded length. Encodes one patch, once per engine. */
export function encoderFingerprint(engine: SpeechSource): Promise<string> {
  const found = known.get(engine);
  if (found !== undefined) return found;
  const made = measure(engine);
  known.set(engine, made);
  // After a failure, such as cancellation, the next call tries again.
  made.catch(() => known.delete(engine));
  return made;
}

/** Whether two fingerprints are of the same encoder. */
export function sameEncoder(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [parse(one), parse(other)];
  if (a === undefined || b === undefined || a.layout !== b.layout || a.output.length !== b.output.length) return false;
  let difference = 0;
  let size = 0;
  a.output.forEach((value, index) => {
    const counterpart = b.output[index] as number;
    difference += (value - counterpart) ** 2;
    size += (value ** 2 + counterpart ** 2) / 2;
  });
  return difference <= tolerance ** 2 * size;
}

async function measure(engine: SpeechSource): Promise<string> {
  const { info } = engine;
  const { patches } = await engine.encode(probe(info), 'reference');
  // The encoder is causal, so the last frame depends on most of the sound.
  const frame = patches.subarray(-info.featureDim);
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  return `${layoutOf(info)}/${bytes.toString('base64url')}`;
}

/** Properties that must match for patches to fit; the architecture determines resampling and padding. */
const layoutOf = ({ architecture, inputSampleRate, inputPatchSamples, patchSize, featureDim }: ModelInfo): string =>
  `${architecture}/${inputSampleRate}/${inputPatchSamples}/${patchSize}x${featureDim}`;

/** One patch of a vowel-like sound: the first overtones of a falling pitch. */
function probe({ inputSampleRate, inputPatchSamples }: ModelInfo): Audio {
  const samples = Float32Array.from({ length: inputPatchSamples }, (_, index) => {
    const seconds = index / inputSampleRate;
    const phase = 2 * Math.PI * (160 * seconds - 200 * seconds ** 2);
    return [1, 2, 3, 5, 8, 13].reduce((sum, overtone) => sum + (0.3 / overtone) * Math.sin(overtone * phase), 0);
  });
  return { samples, sampleRate: inputSampleRate, channels: 1 };
}

function parse(fingerprint: string): { readonly layout: string; readonly output: Float32Array } | undefined {
  const end = fingerprint.lastIndexOf('/');
  const bytes = new Uint8Array(Buffer.from(fingerprint.slice(end + 1), 'base64url'));
  if (end < 0 || bytes.length === 0 || bytes.length % Float32Array.BYTES_PER_ELEMENT !== 0) return undefined;
  return { layout: fingerprint.slice(0, end), output: new Float32Array(bytes.buffer) };
}
