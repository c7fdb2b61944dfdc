/** From a request to an utterance: audio encoded, text tokenised, the sequence before the first patch built. */
import { loadPrompt } from '../audio/resample.ts';
import type { Audio } from '../audio/wav.ts';
import type { Backend } from './backend.ts';
import { throwIfCancelled } from './cancellation.ts';
import type { Utterance } from './generate.ts';
import { buildPrefix, checkCapacity, maxPatches, padPrompt, padReference } from './prefix.ts';
import { type EncodedAudio, type ResolvedRequest, targetText } from './request.ts';
import { createCoverage } from './text/coverage.ts';
import { createTokenizer } from './text/tokenizer.ts';

/** All of an utterance but the noise, which differs from attempt to attempt. */
export interface PreparedUtterance extends Omit<Utterance, 'noise'> {
  /** Tokens of the target text; prompt text is not counted. */
  readonly targetTokens: number;
}

export interface Preparation {
  encode(audio: Audio | EncodedAudio, role: EncodedAudio['role'], signal: AbortSignal): Promise<EncodedAudio>;
  prepare(request: ResolvedRequest, signal: AbortSignal): Promise<PreparedUtterance>;
  /** A warning about letters of a text that the model can't read. */
  coverage(text: string): string | undefined;
}

/** @throws SvcError MODEL_INVALID when the model has no tokenizer. */
export function createPreparation(backend: Backend): Preparation {
  const { info } = backend;
  const tokenizer = createTokenizer((key) => backend.metadata(key));

  const encode: Preparation['encode'] = async (audio, role, signal) => {
    throwIfCancelled(signal);
    if ('patches' in audio) return audio;
    const samples = await loadPrompt(audio, info);
    throwIfCancelled(signal);
    const padded = role === 'prompt' ? padPrompt(samples, info) : padReference(samples, info);
    const patches = await backend.encode(padded, signal);
    throwIfCancelled(signal);
    return { role, patches };
  };

  const prepare: Preparation['prepare'] = async (request, signal) => {
    const { promptAudio, promptText, referenceAudio, cfg, timesteps, minLength, maxLength } = request;
    const target = targetText(request);
    const targetIds = tokenizer.encode(target);
    const textIds = promptText === undefined ? targetIds : tokenizer.encode(promptText + target);
    const prompt = promptAudio === undefined ? undefined : await encode(promptAudio, 'prompt', signal);
    const reference = referenceAudio === undefined ? undefined : await encode(referenceAudio, 'reference', signal);
    const built = buildPrefix(info, {
      textIds,
      prompt: prompt?.patches,
      reference: reference?.patches,
    });
    const positions = built.prefix.tokens.length;
    checkCapacity(info, positions, 1);
    // The cap of six patches a token is far above what speech needs: fewer positions are no reason to refuse.
    const limit = Math.min(maxPatches(targetIds.length, maxLength), info.maxLength - positions);
    return { ...built, maxPatches: limit, minLength, cfg, timesteps, targetTokens: targetIds.length };
  };

  return { encode, prepare, coverage: createCoverage(tokenizer, info) };
}
