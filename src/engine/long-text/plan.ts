/** From a request to the texts of its parts, and who speaks them. */
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

/** Letters of one part: about twenty seconds of speech, within what the models were trained on. */
const partLength = 280;
/** Less where prompt, text and speech would not fit the model's positions, but so much that a part has a few words. */
const shortestLimit = 40;

function lengthLimit({ maxLength, limits }: ModelInfo): number {
  const fitting = Math.max(shortestLimit, Math.floor(maxLength / 8));
  return Math.min(partLength, fitting, limits.maxTextCharacters ?? partLength);
}

/** Seconds of speech from which on a voice is known. */
const voiceSeconds = 3;
/** Parts that may fail to become the voice before the seed alone decides. */
const voiceTries = 3;

export interface PlannedPart {
  /** 0-based. */
  readonly index: number;
  readonly text: string;
  /** In front of the text, unless the part continues speech that began with it. */
  readonly style: string;
  /** Silence after it, when another part follows. */
  readonly pauseSeconds: number;
  readonly isLast: boolean;
}

/** Cleans and reads out, as the request asks for it. */
function rewriterOf({ clean, normalize }: ResolvedRequest): (text: string) => string {
  return (text) => {
    const cleaned = clean ? cleanText(text) : text;
    return normalize ? verbalizeText(cleaned) : cleaned;
  };
}

/**
 * The parts in order, made as they are pulled. A text of one part stays as it is, white space included, but for
 * cleaning and reading out.
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

/** A style is an instruction, so it is cleaned but not read out. Only VoxCPM 2 knows styles. */
function styledText({ text, clean }: ResolvedRequest, { architecture }: ModelInfo): StyledText {
  if (architecture !== 'voxcpm2') return { style: '', text };
  const styled = splitStyle(text);
  return clean ? { ...styled, style: cleanText(styled.style) } : styled;
}

/** Whether cleaning leaves nothing that can be spoken: emoji only, or punctuation. */
export function isWordless(request: ResolvedRequest, info: ModelInfo): boolean {
  if (!request.clean) return false;
  const rewrite = rewriterOf(request);
  for (const paragraph of paragraphsOf(styledText(request, info).text)) {
    if (isSpeakable(rewrite(paragraph))) return false;
  }
  return true;
}

/** Whether silence is worth a warning: of words, and of a whole text, which without words is there because it was not cleaned. */
export const isToBeHeard = ({ text, index, isLast }: PlannedPart): boolean =>
  isSpeakable(text) || (index === 0 && isLast);

/** @throws SvcError INVALID_REQUEST when cleaning leaves nothing that can be spoken. */
export function assertSpeakable(request: ResolvedRequest, info: ModelInfo): void {
  if (!isWordless(request, info)) return;
  const { text } = request;
  const shown = JSON.stringify(text.slice(0, 40));
  throw new SvcError(
    'INVALID_REQUEST',
    `expected text with at least one letter or digit for text, received ${shown}${text.length > 40 ? '…' : ''}`,
  );
}

/** How many parts there are. Takes as long as splitting the text, some milliseconds for ten thousand characters. */
export function countParts(request: ResolvedRequest, info: ModelInfo): number {
  let count = 0;
  for (const _ of planParts(request, info)) count += 1;
  return count;
}

/** Who speaks a text of many parts: what the request gives, else the beginning of the speech itself. */
export interface PartVoice {
  /** Parts may be spoken beside each other: none of them changes the voice any more. */
  readonly isKnown: boolean;
  /** Beginning of the speech, which the other parts continue. */
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
  // The text of the beginning starts with control and style, so that they still hold.
  const { control: _, ...rest } = request;
  const promptAudio: EncodedAudio = { role: 'prompt', patches: beginning.patches };
  return { ...rest, text, promptAudio, promptText: beginning.text + separator(beginning.text, text) };
}

const writtenWithoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}。！？，；：”’」』]/u;

const separator = (first: string, second: string): string =>
  /\s$/u.test(first) || writtenWithoutSpaces.test(first.at(-1) ?? '') || writtenWithoutSpaces.test(second[0] ?? '')
    ? ''
    : ' ';

/** What a finished part tells about the voice. */
export interface VoiceSample {
  /** The request that the part was spoken from. */
  readonly request: ResolvedRequest;
  readonly patches: Float32Array;
  readonly end: 'stop' | 'limit';
  /** Nothing can be heard of it. */
  readonly isSilent: boolean;
}

/**
 * The voice after one more part. A part that ran into its limit babbled and is no model for the others, nor is a silent
 * one; one that takes half of the model's positions leaves them no room.
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
 * Seed of a part; the first one has the request's own. Retries count on from it, so neighbours are far apart:
 * multiples of 2^32 divided by the golden ratio.
 */
export const partSeed = (seed: number, index: number): number => (seed + Math.imul(index, 0x9e3779b1)) >>> 0;
