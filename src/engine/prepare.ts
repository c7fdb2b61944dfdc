/** Turns a request into an utterance: encodes audio, tokenizes text, builds the prefix. */
import type { Audio } from '../audio/audio.ts';
import { loadPrompt } from '../audio/resample/resample.ts';
import { throwIfCanceled } from '../cancellation.ts';
import type { AcceptedFields } from './accepted.ts';
import type { Backend, TextPositions } from './backend.ts';
import { createEncodedRecordings } from './encoded-recordings.ts';
import type { Utterance } from './generate.ts';
import { seededNoise } from './noise.ts';
import { buildPrefix, checkCapacity, maxPatches, padPrompt, padReference } from './prefix.ts';
import { type ResolvedRequest, targetText } from './request.ts';
import { collapseWhitespace } from './text/normalize.ts';
import { createTextReader } from './text-reader.ts';
import type { TokenizedText } from './timing/align-words.ts';
import type { AudioRole, EncodedAudio } from './voice-fields.ts';

export interface SpokenPlace extends TokenizedText {
  readonly positions: TextPositions;
}

export type Preparation = ReturnType<typeof createPreparation>;

/** Texts as the model gets them, and utterances of them. @throws SvcError MODEL_INVALID if the model has no tokenizer */
export function createPreparation(backend: Backend) {
  const { info } = backend;
  const reader = createTextReader(info, (key) => backend.metadata(key));
  const { tokenizer } = reader;
  const recordings = createEncodedRecordings();

  async function encode(audio: Audio | EncodedAudio, role: AudioRole, signal: AbortSignal): Promise<EncodedAudio> {
    throwIfCanceled(signal);
    if ('patches' in audio) return audio;
    const encodeAnew = async (): Promise<Float32Array> => {
      const samples = await loadPrompt(audio, info);
      throwIfCanceled(signal);
      const padded = role === 'prompt' ? padPrompt(samples, info) : padReference(samples, info);
      return backend.encode(padded, signal);
    };
    const patches = await recordings.patchesOf(audio, role, encodeAnew, signal);
    throwIfCanceled(signal);
    return { role, patches };
  }

  /** @returns an utterance with the noise of the request's seed, and without the adapter that it names */
  async function prepare(
    request: ResolvedRequest & Pick<AcceptedFields, 'seed'>,
    signal: AbortSignal,
  ): Promise<Utterance> {
    const { promptAudio, promptText, referenceAudio, cfg, timesteps, minLength } = request;
    const target = targetText(request);
    const targetIds = tokenizer.encode(target);
    const textIds = promptText === undefined ? targetIds : tokenizer.encode(promptText + target);
    const prompt = promptAudio === undefined ? undefined : await encode(promptAudio, 'prompt', signal);
    const reference = referenceAudio === undefined ? undefined : await encode(referenceAudio, 'reference', signal);
    const built = buildPrefix(info, { textIds, prompt: prompt?.patches, reference: reference?.patches });
    const positions = built.tokens.length;
    checkCapacity(info, positions, 1);
    // The limit is far more than speech needs, so fewer positions are no reason to reject a request.
    const most = maxPatches(targetIds.length, request.maxLength, request.retryBadcaseRatioThreshold);
    const limit = Math.min(most, info.contextLength - positions);
    const noise = seededNoise(request.seed);
    return { ...built, maxPatches: limit, minLength, cfg, timesteps, noise, targetTokens: targetIds.length };
  }

  /** Finds in a prepared request what is spoken: the end of its text, behind prompt text, control and style. */
  function locate(request: ResolvedRequest, { textStart }: Pick<Utterance, 'textStart'>, spoken: string): SpokenPlace {
    const whole = (request.promptText ?? '') + targetText(request);
    const starts = tokenizer.startsOf(whole);
    const from = Math.max(0, whole.length - collapseWhitespace(spoken).length);
    const first = starts.filter((start) => start < from).length;
    return {
      text: whole.slice(from),
      tokenStarts: starts.slice(first).map((start) => start - from),
      positions: { first: textStart + first, count: starts.length - first },
    };
  }

  return { encode, prepare, locate, recordingBytes: recordings.bytes, ...reader };
}
