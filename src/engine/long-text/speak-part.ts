/** Synthesizes one part of a text, and regenerates it if something is wrong with it. */

import { throwIfCanceled } from '../../cancellation.ts';
import { messageOf } from '../../errors.ts';
import { concatenate } from '../../float-arrays.ts';
import type { SpokenFields } from '../accepted.ts';
import type { Backend, ModelInfo } from '../backend.ts';
import { attemptSeed, createSoundCheck, isBadCase, isTooShort, type Problem, problems } from '../bad-case.ts';
import { type Chunk, generate } from '../generate.ts';
import { seededNoise } from '../noise.ts';
import type { PartRequest, Preparation, PreparedUtterance, SpokenPlace } from '../prepare.ts';
import type { Recognize } from '../recognize.ts';
import { isSpeakable } from '../text/clean.ts';
import { wordErrorRate } from '../text/word-errors.ts';
import type { Reading } from '../timing/align-words.ts';
import { learnVoice, partRequest, partSeed, type Speaker, type VoiceSample } from './part-voice.ts';
import { expectsSound, type PlannedPart } from './plan.ts';

export interface Progress {
  /** 1-based number of this part; several parts may be generated at once. */
  readonly part: number;
  /** Number of parts of the text. */
  readonly parts: number;
  /** Number of finished parts. */
  readonly finished: number;
  /** 1-based; larger than 1 if something was wrong with an earlier attempt. */
  readonly attempt: number;
  /** Patches generated in this attempt. */
  readonly patches: number;
  /** Maximum number of patches of the attempt. */
  readonly maxPatches: number;
}

export interface PartEngine {
  /** Must accept concurrent calls, like a scheduler. */
  readonly backend: Backend;
  readonly preparation: Preparation;
  readonly recognize?: Recognize | undefined;
}

/** What was found in one attempt at a part. */
export interface Attempt {
  /** 1-based number of the part. */
  readonly part: number;
  readonly seed: number;
  /** Undefined if nothing is wrong, or `retryBadcase` is off. */
  readonly problem?: Problem | undefined;
  /** What the recognizer heard; only of attempts that sound right. */
  readonly transcript?: string | undefined;
  readonly wordErrorRate?: number | undefined;
  /** Why the recognizer gave no transcript. */
  readonly failure?: string | undefined;
}

/** A finished part before joining. */
export interface PartOutcome extends VoiceSample {
  readonly part: PlannedPart;
  /** Empty if they were heard and no words are timed. */
  readonly samples: Float32Array;
  readonly count: number;
  readonly seed: number;
  readonly tries: readonly Attempt[];
  /** With `timestamps`, if the backend reports attention. */
  readonly reading?: Reading | undefined;
}

/** Audio of a part before joining: all of it if it may be retracted, else that of a patch. */
export interface Fragment {
  readonly part: PlannedPart;
  readonly samples: Float32Array;
  readonly patches: number;
  readonly patch?: Float32Array | undefined;
  /** 1-based number of the attempt that a listener hears. */
  readonly attempt: number;
  /** With the last fragment of a part. */
  readonly outcome?: PartOutcome | undefined;
}

export type OnPatch = (report: Pick<Progress, 'attempt' | 'patches' | 'maxPatches'>) => void;

/** An attempt with its audio. */
interface Take {
  readonly attempt: Attempt;
  readonly chunks: readonly Chunk[];
  readonly isSilent: boolean;
}

export interface PartOptions {
  readonly part: PlannedPart;
  /** Whose voice learns from the part. */
  readonly speaker: Speaker;
  readonly request: SpokenFields;
  /**
   * Whether a bad attempt may be retracted, as nobody has heard it: then the best attempt is one fragment. Else each patch is
   * one, and only silence is repeated.
   */
  readonly mayRetract: boolean;
  readonly signal: AbortSignal;
  readonly onPatch: OnPatch;
  readonly timestamps: 'none' | 'words';
}

/**
 * Attempts follow each other, with the next seed each, until one is right or there were as many as requested: then the
 * best one counts, or the last one if all were heard.
 */
export async function* speakPart(
  engine: PartEngine,
  { part, speaker, request: whole, mayRetract, signal, onPatch, timestamps }: PartOptions,
): AsyncGenerator<Fragment, void, undefined> {
  const { info } = engine.backend;
  const { voice } = speaker;
  const request = partRequest(await speaker.request(), part, voice);
  const firstSeed = partSeed(whole.seed, part.index);
  const prepared = await engine.preparation.prepare(request, signal);
  const place = timestamps === 'words' ? engine.preparation.locate(request, prepared, part.text) : undefined;
  const tries: Attempt[] = [];
  let best: Take | undefined;
  for (let number = 1; ; number += 1) {
    const isLast = !request.retryBadcase || number >= request.retryBadcaseMaxTimes;
    const quality = createQualityCheck(info, { part, request, mayRetract }, prepared);
    const seed = attemptSeed(firstSeed, number - 1);
    const utterance = { ...prepared, noise: seededNoise(seed), text: place?.positions };
    const chunks: Chunk[] = [];
    let heard: Fragment | undefined;
    for await (const chunk of generate(engine.backend, utterance, signal)) {
      // Of audio that is heard, only what times words is kept.
      chunks.push(mayRetract || place !== undefined ? chunk : { ...chunk, samples: noSamples });
      quality.push(chunk.samples);
      onPatch({ attempt: number, patches: chunks.length, maxPatches: prepared.maxPatches });
      if (!mayRetract) heard = { part, samples: chunk.samples, patches: 1, patch: chunk.patch, attempt: number };
      // The attempt cannot recover; the official code finishes it with the same outcome.
      if (!isLast && quality.isHopeless()) break;
      if (heard !== undefined && chunk.end === undefined) yield heard;
    }
    const found: Attempt = { part: part.index + 1, seed, problem: quality.problem() };
    const attempt = mayRetract ? await checkWords(found, chunks, engine, part, request, signal) : found;
    const take = { attempt, chunks, isSilent: quality.isSilent() };
    tries.push(attempt);
    // An attempt that was given up has no end.
    const isComplete = chunks.at(-1)?.end !== undefined;
    if (!mayRetract || (isComplete && (best === undefined || isBetter(attempt, best.attempt)))) best = take;
    if (attempt.problem === undefined || isLast) {
      const outcome = outcomeOf({ part, place, tries }, best ?? take);
      speaker.voice = learnVoice(speaker.voice, outcome, info);
      yield { ...(heard ?? { part, samples: outcome.samples, patches: outcome.count, attempt: 1 }), outcome };
      return;
    }
    if (heard !== undefined) yield heard;
  }
}

const noSamples = new Float32Array(0);

/** Of attempts that are equally bad, the last one counts. */
function isBetter(attempt: Attempt, other: Attempt): boolean {
  const rank = ({ problem }: Attempt): number => (problem === undefined ? -1 : problems.indexOf(problem));
  const errors = ({ wordErrorRate = 0 }: Attempt): number => wordErrorRate;
  return rank(attempt) < rank(other) || (rank(attempt) === rank(other) && errors(attempt) <= errors(other));
}

interface Attempts extends Pick<PartOutcome, 'part' | 'tries'> {
  /** Of the text in the prefix, to time its words. */
  readonly place: SpokenPlace | undefined;
}

const outcomeOf = ({ part, tries, place }: Attempts, { attempt, chunks, isSilent }: Take): PartOutcome => ({
  part,
  tries,
  text: part.text,
  style: part.style,
  patches: concatenate(chunks.map(({ patch }) => patch)),
  samples: concatenate(chunks.map(({ samples }) => samples)),
  count: chunks.length,
  end: chunks.at(-1)?.end ?? 'limit',
  isSilent,
  seed: attempt.seed,
  reading: place && readingOf(place, chunks),
});

/** How the model read a text, if the backend reports attention. */
function readingOf({ text, tokenStarts }: SpokenPlace, chunks: readonly Chunk[]): Reading | undefined {
  const patches = chunks.flatMap(({ samples, attention }) => (samples.length > 0 && attention ? [attention] : []));
  return patches.length === 0 ? undefined : { text, tokenStarts, patches };
}

/** Judges one attempt while it is generated; of one that is heard, only whether there is anything to hear. */
function createQualityCheck(
  info: ModelInfo,
  { part, request, mayRetract }: Pick<PartOptions, 'part' | 'mayRetract'> & { readonly request: PartRequest },
  { contextPatches, targetTokens }: PreparedUtterance,
) {
  const counted = info.architecture === 'voxcpm' ? contextPatches : 0;
  const hasWords = isSpeakable(part.text);
  const sound = createSoundCheck(info);
  let patches = 0;
  const isLong = (): boolean =>
    mayRetract && isBadCase(counted + patches, targetTokens, request.retryBadcaseRatioThreshold);
  return {
    push(samples: Float32Array): void {
      patches += 1;
      sound.push(samples);
    },
    isHopeless: (): boolean => isLong() || (hasWords && sound.isHopeless()),
    /** Whether silence deserves a warning. */
    isSilent: (): boolean => expectsSound(part) && sound.isSilent(),
    problem(): Problem | undefined {
      if (!request.retryBadcase) return undefined;
      if (isLong()) return 'long';
      if (!hasWords) return undefined;
      if (sound.isSilent()) return 'silent';
      if (!mayRetract) return undefined;
      if (request.retryShort && isTooShort(sound.soundSeconds(), part.text)) return 'short';
      return request.retryClipped && sound.isClipped() ? 'clipped' : undefined;
    },
  };
}

/** Has the recognizer, if there is one, check the words of an attempt that sounds right. */
async function checkWords(
  attempt: Attempt,
  chunks: readonly Chunk[],
  { backend, recognize }: PartEngine,
  { text }: PlannedPart,
  { retryBadcase, maxWordErrors }: PartRequest,
  signal: AbortSignal,
): Promise<Attempt> {
  if (recognize === undefined || !retryBadcase || !isSpeakable(text) || attempt.problem !== undefined) return attempt;
  const samples = concatenate(chunks.map(({ samples: some }) => some));
  const heard = await transcribe({ samples, sampleRate: backend.info.outputSampleRate }, recognize, signal);
  const { transcript } = heard;
  if (transcript === undefined) return { ...attempt, ...heard };
  const rate = wordErrorRate(text, transcript);
  return { ...attempt, transcript, wordErrorRate: rate, problem: rate > maxWordErrors ? 'words' : undefined };
}

/** A recognizer that fails does not cost the audio. */
async function transcribe(
  audio: Parameters<Recognize>[0],
  recognize: Recognize,
  signal: AbortSignal,
): Promise<Pick<Attempt, 'transcript' | 'failure'>> {
  try {
    return { transcript: await recognize(audio, signal) };
  } catch (error) {
    throwIfCanceled(signal);
    return { failure: messageOf(error) };
  }
}
