/** Keeps one voice through a text of many parts: what each part is spoken with, and what is learned from it. */
import { concatenate } from '../../float-arrays.ts';
import type { AcceptedFields } from '../accepted.ts';
import type { ModelInfo } from '../backend.ts';
import type { PlannedPart } from '../plan/plan.ts';
import type { RequestFields } from '../request.ts';
import { normalizeText } from '../text/normalize.ts';
import { ideographic } from '../text/writing-systems.ts';
import { type EncodedAudio, joinControls } from '../voice-fields.ts';

/** Seconds of speech needed to learn a voice. */
export const voiceSeconds = 3;
/** Attempts at learning a voice before only the seed determines it. */
export const voiceTries = 3;

/** The voice of a text of many parts: from the request, else from the beginning of the speech itself. */
export interface PartVoice {
  /** The voice no longer changes, so parts may be generated concurrently. */
  readonly isKnown: boolean;
  /** The beginning of the speech, which gives the other parts their voice. */
  readonly beginning?: Beginning;
  readonly tries: number;
}

/** Text as spoken: a prompt has neither control nor style in it, as in the official `app.py`. Style of its end. */
type Beginning = Pick<VoiceSample, 'text' | 'style' | 'patches'>;

export interface Speaker {
  voice: PartVoice;
  /** Encoded audio, once. */
  request(): Promise<AcceptedFields>;
}

export const initialVoice = ({ promptAudio, referenceAudio }: RequestFields): PartVoice => ({
  isKnown: promptAudio !== undefined || referenceAudio !== undefined,
  tries: 0,
});

/**
 * The request of one part. Its style becomes control. Where speech continues its own beginning, which leaves no place for
 * control, another style stays in front of the text, as in the official `VoxCPM.generate`.
 */
export function partRequest<Fields extends RequestFields>(
  request: Fields,
  { text, style }: PlannedPart,
  { beginning }: PartVoice,
): Fields & { readonly text: string } {
  const { control, continueBy, ...rest } = request;
  if (beginning === undefined || continueBy === 'reference') {
    if (request.promptText !== undefined) return { ...request, text };
    const referenceAudio: Fields['referenceAudio'] = beginning
      ? { role: 'reference', patches: beginning.patches }
      : request.referenceAudio;
    return { ...request, text, control: joinControls(control, style), referenceAudio };
  }
  // The audio of the beginning has its control and style, so they still apply.
  const continued = style === beginning.style ? text : style + text;
  const promptAudio: EncodedAudio = { role: 'prompt', patches: beginning.patches };
  return {
    ...(rest as Fields),
    text: continued,
    promptAudio,
    promptText: beginning.text + separator(beginning.text, continued),
  };
}

const writtenWithoutSpaces = new RegExp(`[${ideographic}。！？，；：”’」』]`, 'u');

const separator = (first: string, second: string): string =>
  /\s$/u.test(first) || writtenWithoutSpaces.test(first.at(-1) ?? '') || writtenWithoutSpaces.test(second[0] ?? '')
    ? ''
    : ' ';

/** A finished part as a sample of the voice. */
export interface VoiceSample {
  readonly text: string;
  readonly style: string;
  /** `n × patchSize × featureDim`. */
  readonly patches: Float32Array;
  readonly end: 'stop' | 'limit';
  readonly isSilent: boolean;
}

/**
 * Updates the voice after a part. A part that reached its limit babbled and is unsuitable, as is a silent one; one that
 * takes half of the model's context leaves no room for the others.
 */
export function learnVoice(
  voice: PartVoice,
  { text: spoken, style, patches, end, isSilent }: VoiceSample,
  info: ModelInfo,
): PartVoice {
  if (voice.isKnown) return voice;
  const tries = voice.tries + 1;
  const text = normalizeText(spoken);
  const known = voice.beginning;
  const before = known === undefined ? '' : known.text + separator(known.text, text);
  const all = known === undefined ? patches : concatenate([known.patches, patches]);
  const beginning = { text: before + text, style, patches: all };
  const count = beginning.patches.length / (info.patchSize * info.featureDim);
  if (end === 'limit' || isSilent || count + beginning.text.length > info.contextLength / 2)
    return { ...voice, isKnown: tries >= voiceTries, tries };
  const seconds = (count * info.patchSamples) / info.outputSampleRate;
  return { isKnown: seconds >= voiceSeconds || tries >= voiceTries, beginning, tries };
}

/**
 * The seed of a part; the first one uses the seed of the request. Retries increment it, so parts are far apart:
 * multiples of 2^32 divided by the golden ratio.
 */
export const partSeed = (seed: number, index: number): number => (seed + Math.imul(index, 0x9e3779b1)) >>> 0;
