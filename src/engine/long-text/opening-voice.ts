/** A voice from the first words, for speech in many requests: without a recording, each would have a voice of its own. */
import { inTurns } from '../../event-loop.ts';
import { concatenate } from '../../float-arrays.ts';
import { assertWords } from '../accepted.ts';
import { attemptSeed } from '../bad-case.ts';
import { type ParsedRequest, parseRequestText } from '../parsed-request.ts';
import type { RequestFields, ResolvedRequest } from '../request.ts';
import type { RunOptions, SpeechSource } from '../speech-source.ts';
import { normalizeText } from '../text/normalize.ts';
import type { EncodedAudio } from '../voice-fields.ts';
import { voiceSeconds, voiceTries } from './part-voice.ts';

export interface OpeningVoice {
  readonly promptText: string;
  readonly patches: Float32Array;
  /** A request in this voice. Its style and control are those of the first words. */
  apply(request: RequestFields): RequestFields;
}

/** @param role how the other requests take it */
export function openingVoice(
  { promptText, patches }: Pick<OpeningVoice, 'promptText' | 'patches'>,
  role: EncodedAudio['role'],
): OpeningVoice {
  return {
    promptText,
    patches,
    apply(request) {
      const { control: _, ...others } = request;
      const audio = { role, patches };
      if (role === 'reference') return { ...request, referenceAudio: audio };
      return { ...others, promptAudio: audio, promptText };
    },
  };
}

/**
 * Speaks the first words of a text, as a voice for the rest.
 *
 * @returns undefined if the model babbles; only the seed holds the voice then
 * @throws SvcError INVALID_REQUEST for a text without words
 */
export async function speakOpening(
  engine: SpeechSource,
  request: ResolvedRequest,
  { signal }: Pick<RunOptions, 'signal'>,
): Promise<OpeningVoice | undefined> {
  const { seed = 0, continueBy: role = 'prompt' } = request;
  for (let attempt = 0; attempt < voiceTries; attempt += 1) {
    const spoken = { ...request, speed: 1, seed: attemptSeed(seed, attempt) };
    const beginning = await speakBeginning(engine, await inTurns(parseRequestText(spoken)), signal);
    if (beginning === undefined) continue;
    const promptText = normalizeText(beginning.text);
    const { patches } = await engine.encode(beginning.audio, role, { signal });
    return openingVoice({ promptText, patches }, role);
  }
  return undefined;
}

/** Undefined if the model babbled. */
async function speakBeginning(engine: SpeechSource, request: ParsedRequest, signal: AbortSignal | undefined) {
  const pieces: Float32Array[] = [];
  const texts: string[] = [];
  const speech = await inTurns(engine.accept(request));
  assertWords(speech, request);
  const { outputSampleRate: sampleRate } = engine.info;
  for await (const { text = '', samples, end } of engine.speak(speech, { signal, mayRetract: true, partsAtOnce: 1 })) {
    if (end === 'limit') return undefined;
    texts.push(text);
    pieces.push(samples);
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (length >= voiceSeconds * sampleRate) break;
  }
  return { text: texts.join(' '), audio: { samples: concatenate(pieces), sampleRate, channels: 1 } };
}
