/** Plans a long text: its parts and their voice. */
import { concatenate } from '../../concatenate.ts';
import { SvcError } from '../../errors.ts';
import type { ModelInfo } from '../backend.ts';
import type { EncodedAudio, ResolvedRequest } from '../request.ts';
import { targetText } from '../request.ts';
import { cleanText, isSpeakable } from '../text/clean.ts';
import { collapseWhitespace } from '../text/normalize.ts';
import { paragraphsOf } from '../text/paragraphs.ts';
import { type SplitOptions, splitText } from '../text/split.ts';
import { type StyledText, splitStyle } from '../text/style.ts';
import { verbalizeText } from '../text/verbalize/verbalize.ts';

/** Letters of a part: about twenty seconds of speech, as in the training data. */
const partLength = 280;
/** Lower bound for models with a short context, so that a part has a few words. */
const shortestLimit = 40;

function lengthLimit({ maxLength, limits }: ModelInfo): number {
  const fitting = Math.max(shortestLimit, Math.floor(maxLength / 8));
  return Math.min(partLength, fitting, limits.maxTextCharacters ?? partLength);
}

/** Seconds of speech needed to learn a voice. */
const voiceSeconds = 3;
/** Attempts at learning a voice before only the seed determines it. */
const voiceTries = 3;

export interface PlannedPart {
  /** 0-based. */
  readonly index: number;
  readonly text: string;
  /** Put before the text, unless the part continues speech that began with it. */
  readonly style: string;
  /** Pause before the next part, if there is one. */
  readonly pauseSeconds: number;
  readonly isLast: boolean;
}

/** Cleaning and normalization according to the request. */
function rewriterOf({ clean, normalize }: ResolvedRequest): (text: string) => string {
  return (text) => {
    const cleaned = clean ? cleanText(text) : text;
    return normalize ? verbalizeText(cleaned) : cleaned;
  };
}

/**
 * Lazily yields the parts in order. A text of one part stays unchanged, including white space, except for cleaning and
 * normalization.
 */
export function* planParts(request: ResolvedRequest, info: ModelInfo): Generator<PlannedPart> {
  const rewrite = rewriterOf(request);
  const options: SplitOptions = { maxCharacters: lengthLimit(info), rewrite };
  const { style, text } = styledText(request, info);
  const parts = request.split ? splitText(text, options) : [][Symbol.iterator]();
  let part = parts.next();
  let following = part.done ? part : parts.next();
  if (part.done || following.done) {
    yield { index: 0, text: rewrite(text), style, pauseSeconds: 0, isLast: true };
    return;
  }
  const collapsed = collapseWhitespace(style);
  for (let index = 0; !part.done; index += 1) {
    const { text, pauseSeconds } = part.value;
    yield { index, text, style: collapsed, pauseSeconds, isLast: following.done === true };
    part = following;
    if (!part.done) following = parts.next();
  }
}

/** Separates the style, which is cleaned but not normalized, as it is not spoken. Only VoxCPM 2 supports styles. */
function styledText({ text, clean }: ResolvedRequest, { architecture }: ModelInfo): StyledText {
  if (architecture !== 'voxcpm2') return { style: '', text };
  const styled = splitStyle(text);
  return clean ? { ...styled, style: cleanText(styled.style) } : styled;
}

/** Whether cleaning leaves nothing to speak, such as of a text of emoji or punctuation. */
export function isWordless(request: ResolvedRequest, info: ModelInfo): boolean {
  if (!request.clean) return false;
  const rewrite = rewriterOf(request);
  for (const paragraph of paragraphsOf(styledText(request, info).text)) {
    if (isSpeakable(rewrite(paragraph))) return false;
  }
  return true;
}

/**
 * Whether silence deserves a warning: of a part with words, or of a whole text, which may be uncleaned and without
 * words.
 */
export const isToBeHeard = ({ text, index, isLast }: PlannedPart): boolean =>
  isSpeakable(text) || (index === 0 && isLast);

/** @throws SvcError INVALID_REQUEST if cleaning leaves nothing to speak */
export function assertSpeakable(request: ResolvedRequest, info: ModelInfo): void {
  if (!isWordless(request, info)) return;
  const { text } = request;
  const shown = JSON.stringify(text.slice(0, 40));
  throw new SvcError(
    'INVALID_REQUEST',
    `text must contain a letter or digit, got ${shown}${text.length > 40 ? '…' : ''}`,
  );
}

/** The voice of a text of many parts: from the request, else from the beginning of the speech itself. */
export interface PartVoice {
  /** The voice no longer changes, so parts may be generated concurrently. */
  readonly isKnown: boolean;
  /** The beginning of the speech, which the other parts continue. */
  readonly beginning?: Beginning;
  readonly tries: number;
}

interface Beginning {
  readonly text: string;
  /** `n × patchSize × featureDim`. */
  readonly patches: Float32Array;
}

export const initialVoice = ({ promptAudio, referenceAudio }: ResolvedRequest, { limits }: ModelInfo): PartVoice => ({
  isKnown: promptAudio !== undefined || referenceAudio !== undefined || limits.fixedVoice === true,
  tries: 0,
});

/** The request of one part. */
export function partRequest(
  request: ResolvedRequest,
  { text, style }: PlannedPart,
  { beginning }: PartVoice,
): ResolvedRequest {
  if (beginning === undefined) return { ...request, text: style + text };
  // The text of the beginning starts with control and style, so they still apply.
  const { control: _, ...rest } = request;
  const promptAudio: EncodedAudio = { role: 'prompt', patches: beginning.patches };
  return { ...rest, text, promptAudio, promptText: beginning.text + separator(beginning.text, text) };
}

const writtenWithoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}。！？，；：”’」』]/u;

const separator = (first: string, second: string): string =>
  /\s$/u.test(first) || writtenWithoutSpaces.test(first.at(-1) ?? '') || writtenWithoutSpaces.test(second[0] ?? '')
    ? ''
    : ' ';

/** A finished part as a sample of the voice. */
export interface VoiceSample {
  /** The request of the part. */
  readonly request: ResolvedRequest;
  readonly patches: Float32Array;
  readonly end: 'stop' | 'limit';
  /** The part has no sound. */
  readonly isSilent: boolean;
}

/**
 * Updates the voice after a part. A part that reached its limit babbled and is unsuitable, as is a silent one; one that
 * takes half of the model's context leaves no room for the others.
 */
export function learnVoice(
  voice: PartVoice,
  { request, patches, end, isSilent }: VoiceSample,
  info: ModelInfo,
): PartVoice {
  if (voice.isKnown) return voice;
  const tries = voice.tries + 1;
  const text = targetText(request);
  const known = voice.beginning;
  const beginning =
    known === undefined
      ? { text, patches }
      : { text: known.text + separator(known.text, text) + text, patches: concatenate([known.patches, patches]) };
  const count = beginning.patches.length / (info.patchSize * info.featureDim);
  if (end === 'limit' || isSilent || count + beginning.text.length > info.maxLength / 2)
    return { ...voice, isKnown: tries >= voiceTries, tries };
  const seconds = (count * info.patchSamples) / info.outputSampleRate;
  return { isKnown: seconds >= voiceSeconds || tries >= voiceTries, beginning, tries };
}

/**
 * The seed of a part; the first one uses the seed of the request. Retries increment it, so parts are far apart:
 * multiples of 2^32 divided by the golden ratio.
 */
export const partSeed = (seed: number, index: number): number => (seed + Math.imul(index, 0x9e3779b1)) >>> 0;
