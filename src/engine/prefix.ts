/**
 * The sequence before the first generated patch, as `_generate_with_prompt_cache` and `_inference` of the
 * official `voxcpm/model/voxcpm.py` and `voxcpm2.py` build it. A patch is `patchSize × featureDim` values.
 */
import { SvcError } from '../errors.ts';
import type { ModelInfo, Prefix } from './backend.ts';

const audioStart = 101;
const referenceStart = 103;
const referenceEnd = 104;

/** Patches of left context that the decoder is given before the first generated one: `streaming_prefix_len - 1`. */
const contextLimit = { voxcpm: 2, voxcpm2: 3 } as const;

export interface PrefixParts {
  /** Ids of prompt text and target text, tokenized as one string. */
  readonly textIds: Int32Array;
  /** Patches that the model continues. */
  readonly prompt?: Float32Array | undefined;
  /** Patches that only give the timbre; model 2 only. */
  readonly reference?: Float32Array | undefined;
}

export interface BuiltPrefix {
  readonly prefix: Prefix;
  /** `contextPatches` patches that the decoder is primed with. */
  readonly context: Float32Array;
  readonly contextPatches: number;
  /** Leading patches to cut off the decoded context and generated patches; at least `contextPatches`. */
  readonly discardPatches: number;
}

/**
 * `[103, reference…, 104]`, the text ids, 101, then the prompt patches.
 *
 * @throws SvcError INVALID_REQUEST for a reference with model 1.
 */
export function buildPrefix(info: ModelInfo, { textIds, prompt, reference }: PrefixParts): BuiltPrefix {
  if (reference !== undefined && info.architecture !== 'voxcpm2') {
    throw new SvcError(
      'INVALID_REQUEST',
      `expected a VoxCPM 2 model for reference audio, received ${info.name} of architecture ${info.architecture}`,
    );
  }
  const promptPatches = countPatches(info, 'prompt', prompt);
  const referencePatches = countPatches(info, 'reference', reference);
  const referenceLength = reference === undefined ? 0 : referencePatches + 2;
  const textLength = textIds.length + 1;

  const tokens = new Int32Array(referenceLength + textLength + promptPatches);
  const audioMask = new Uint8Array(tokens.length);
  if (reference !== undefined) {
    tokens[0] = referenceStart;
    audioMask.fill(1, 1, 1 + referencePatches);
    tokens[referenceLength - 1] = referenceEnd;
  }
  tokens.set(textIds, referenceLength);
  tokens[referenceLength + textLength - 1] = audioStart;
  audioMask.fill(1, referenceLength + textLength);

  const features = join(reference, prompt);
  // Model 2 primes the decoder only when the sequence ends in audio, and then takes its context from all
  // audio positions, the reference's included; in model 1 all audio is prompt.
  const audioPatches = referencePatches + promptPatches;
  const contextPatches = promptPatches === 0 ? 0 : Math.min(contextLimit[info.architecture], audioPatches);
  const context = features.slice((audioPatches - contextPatches) * patchLength(info));
  // Model 1 always cuts two patches, so a one-patch prompt costs the first generated patch its audio.
  const discardPatches = info.architecture === 'voxcpm' && promptPatches > 0 ? contextLimit.voxcpm : contextPatches;
  return { prefix: { tokens, audioMask, features }, context, contextPatches, discardPatches };
}

/** Prompt audio with zeros in front, to whole patches: its end meets the generated audio. */
export const padPrompt = (samples: Float32Array, info: ModelInfo): Float32Array => {
  const padded = new Float32Array(paddedLength(samples, info));
  padded.set(samples, padded.length - samples.length);
  return padded;
};

/** Reference audio with zeros behind, to whole patches. */
export const padReference = (samples: Float32Array, info: ModelInfo): Float32Array => {
  const padded = new Float32Array(paddedLength(samples, info));
  padded.set(samples);
  return padded;
};

/**
 * Patches after which an utterance of `targetIds` tokens (prompt text not counted) ends at the latest;
 * `maxLength` is the caller's own limit. 6 is `retry_badcase_ratio_threshold`.
 */
export const maxPatches = (targetIds: number, maxLength: number): number =>
  Math.min(Math.trunc(targetIds * 6.0 + 10), maxLength);

/**
 * Checks that a prefix of `prefixLength` positions and `patches` generated patches fit the model: one more
 * position is computed after the last patch, so together they may take `maxLength` positions.
 *
 * @throws SvcError INVALID_REQUEST when they don't.
 */
export function checkCapacity(info: ModelInfo, prefixLength: number, patches: number): void {
  if (prefixLength + patches <= info.maxLength) return;
  throw new SvcError(
    'INVALID_REQUEST',
    `expected at most ${info.maxLength} positions for text, prompt and speech together (shorten one of them), ` +
      `received ${prefixLength} and up to ${patches} patches of speech`,
  );
}

const patchLength = (info: ModelInfo): number => info.patchSize * info.featureDim;

const paddedLength = (samples: Float32Array, info: ModelInfo): number =>
  Math.ceil(samples.length / info.inputPatchSamples) * info.inputPatchSamples;

function countPatches(info: ModelInfo, name: string, patches: Float32Array = new Float32Array(0)): number {
  const count = patches.length / patchLength(info);
  if (Number.isInteger(count)) return count;
  throw new SvcError(
    'INVALID_REQUEST',
    `expected a multiple of ${patchLength(info)} values for the patches of the ${name}, received ${patches.length}`,
  );
}

function join(first: Float32Array = new Float32Array(0), second: Float32Array = new Float32Array(0)): Float32Array {
  const joined = new Float32Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
