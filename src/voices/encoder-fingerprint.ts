/**
 * Tells whether two models turn audio into the same patches, so that the voices of one can be used with the other.
 *
 * What counts is the audio encoder alone: all weight types of a model, and all models that share its encoder, share
 * voices. So the encoder itself is asked: it encodes a fixed sound. The answer differs in its last digits between
 * devices and weight types, which no hash survives; it is kept as numbers and compared with a tolerance.
 */
import type { Audio } from '../audio/wav.ts';
import type { ModelInfo } from '../engine/backend.ts';
import type { SpeechSource } from '../engine/engine.ts';

/**
 * Largest difference of two answers of one encoder, relative to their size: F16 weights are within 0.01,
 * different encoders at 1 or more.
 */
const tolerance = 0.1;

const known = new WeakMap<SpeechSource, Promise<string>>();

/** The fingerprint of a model's encoder, ASCII, of bounded length. Takes as long as encoding one patch, once an engine. */
export function encoderFingerprint(engine: SpeechSource): Promise<string> {
  const found = known.get(engine);
  if (found !== undefined) return found;
  const made = measure(engine);
  known.set(engine, made);
  // A failure, such as a cancelled engine, says nothing about the next attempt.
  made.catch(() => known.delete(engine));
  return made;
}

/** Whether patches of one encoder are those of the other. */
export function sameEncoder(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [parse(one), parse(other)];
  if (a === undefined || b === undefined || a.layout !== b.layout || a.answer.length !== b.answer.length) return false;
  let difference = 0;
  let size = 0;
  a.answer.forEach((value, index) => {
    const counterpart = b.answer[index] as number;
    difference += (value - counterpart) ** 2;
    size += (value ** 2 + counterpart ** 2) / 2;
  });
  return difference <= tolerance ** 2 * size;
}

async function measure(engine: SpeechSource): Promise<string> {
  const { info } = engine;
  const { patches } = await engine.encode(probe(info), 'reference');
  // The encoder is causal: the last frame has seen most of the sound.
  const frame = patches.subarray(-info.featureDim);
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  return `${layoutOf(info)}/${bytes.toString('base64url')}`;
}

/** What has to be equal for patches to fit at all; the architecture decides how audio is resampled and padded. */
const layoutOf = ({ architecture, inputSampleRate, inputPatchSamples, patchSize, featureDim }: ModelInfo): string =>
  `${architecture}/${inputSampleRate}/${inputPatchSamples}/${patchSize}x${featureDim}`;

/** One patch of a vowel-like sound: the first overtones of a falling voice. */
function probe({ inputSampleRate, inputPatchSamples }: ModelInfo): Audio {
  const samples = Float32Array.from({ length: inputPatchSamples }, (_, index) => {
    const seconds = index / inputSampleRate;
    const phase = 2 * Math.PI * (160 * seconds - 200 * seconds ** 2);
    return [1, 2, 3, 5, 8, 13].reduce((sum, overtone) => sum + (0.3 / overtone) * Math.sin(overtone * phase), 0);
  });
  return { samples, sampleRate: inputSampleRate, channels: 1 };
}

function parse(fingerprint: string): { readonly layout: string; readonly answer: Float32Array } | undefined {
  const end = fingerprint.lastIndexOf('/');
  const bytes = new Uint8Array(Buffer.from(fingerprint.slice(end + 1), 'base64url'));
  if (end < 0 || bytes.length === 0 || bytes.length % Float32Array.BYTES_PER_ELEMENT !== 0) return undefined;
  return { layout: fingerprint.slice(0, end), answer: new Float32Array(bytes.buffer) };
}
