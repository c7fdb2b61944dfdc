/**
 * Builds the sequence before the first generated patch, like `_generate_with_prompt_cache` and `_inference` of the
 * official `voxcpm/model/voxcpm.py` and `voxcpm2.py`. A patch is `patchSize × featureDim` values.
 */
import { SvcError } from '../errors.ts';
import type { ModelInfo, Prefix } from './backend.ts';
import { needsModel2 } from './request.ts';

const audioStart = 101;
const referenceStart = 103;
const referenceEnd = 104;

/** Maximum left context of the decoder in patches: `streaming_prefix_len - 1`. */
const contextLimit = { voxcpm: 2, voxcpm2: 3 } as const;

export interface PrefixParts {
  /** Token ids of prompt text and target text, tokenized as one string. */
  readonly textIds: Int32Array;
  /** Patches that the model continues. */
  readonly prompt?: Float32Array | undefined;
  /** Patches that only set the timbre; model 2 only. */
  readonly reference?: Float32Array | undefined;
}

export interface BuiltPrefix extends Prefix {
  /** Position of the first text id in the prefix. */
  readonly textStart: number;
  /** `contextPatches` patches to prime the decoder with. */
  readonly context: Float32Array;
  readonly contextPatches: number;
  /** Leading patches to cut off the decoded context and generated patches; at least `contextPatches`. */
  readonly discardPatches: number;
}

/**
 * Builds the sequence `[103, reference…, 104]`, text ids, 101, prompt patches.
 *
 * @throws SvcError INVALID_REQUEST for a reference with model 1
 */
export function buildPrefix(info: ModelInfo, { textIds, prompt, reference }: PrefixParts): BuiltPrefix {
  if (reference !== undefined && info.architecture !== 'voxcpm2') {
    throw needsModel2('reference audio', info);
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
  // Model 2 primes the decoder only if the sequence ends with audio, with context from all audio positions including
  // the reference; in model 1 all audio is prompt.
  const audioPatches = referencePatches + promptPatches;
  const contextPatches = promptPatches === 0 ? 0 : Math.min(contextLimit[info.architecture], audioPatches);
  const context = features.slice((audioPatches - contextPatches) * patchLength(info));
  // Model 1 always cuts two patches, so a one-patch prompt costs the first generated patch its audio.
  const discardPatches = info.architecture === 'voxcpm' && promptPatches > 0 ? contextLimit.voxcpm : contextPatches;
  return {
    tokens,
    audioMask,
    features,
    textStart: referenceLength,
    context,
    contextPatches,
    discardPatches,
  };
}

/** Zero-pads prompt audio on the left to whole patches, as its end meets the generated audio. */
export const padPrompt = (samples: Float32Array, info: ModelInfo): Float32Array => {
  const padded = new Float32Array(paddedLength(samples, info));
  padded.set(samples, padded.length - samples.length);
  return padded;
};

/** Zero-pads reference audio on the right to whole patches. */
export const padReference = (samples: Float32Array, info: ModelInfo): Float32Array => {
  const padded = new Float32Array(paddedLength(samples, info));
  padded.set(samples);
  return padded;
};

/**
 * Maximum length in patches of an utterance of `targetIds` tokens, not counting prompt text. `most` is the
 * caller's limit, `ratio` is `retry_badcase_ratio_threshold`.
 */
export const maxPatches = (targetIds: number, most: number, ratio: number): number =>
  Math.min(Math.trunc(targetIds * ratio + 10), most);

/**
 * Checks that a prefix and the generated patches together fit into the context of the model.
 *
 * @throws SvcError INVALID_REQUEST
 */
export function checkCapacity(info: ModelInfo, prefixLength: number, patches: number): void {
  if (prefixLength + patches <= info.contextLength) return;
  throw new SvcError(
    'INVALID_REQUEST',
    `text and recordings take ${prefixLength} positions, which leaves no room for speech in the model's context of ` +
      `${info.contextLength}; shorten them`,
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
    `the patches of the ${name} must have a multiple of ${patchLength(info)} values, got ${patches.length}`,
  );
}

function join(first: Float32Array = new Float32Array(0), second: Float32Array = new Float32Array(0)): Float32Array {
  const joined = new Float32Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
