/** Speaks one part of a text, again if something is wrong with it. */

import { throwIfCanceled } from '../../cancellation.ts';
import { messageOf } from '../../errors.ts';
import { concatenate } from '../../float-arrays.ts';
import type { AdapterUse, Backend } from '../backend.ts';
import { attemptSeed, createSoundCheck, isBadCase, isTooShort, type Problem, problems } from '../bad-case.ts';
import { type Chunk, generate } from '../generate.ts';
import { seededNoise } from '../noise.ts';
import type { Preparation, PreparedUtterance, SpokenPlace } from '../prepare.ts';
import type { Recognize } from '../recognize.ts';
import { isSpeakable } from '../text/clean.ts';
import { wordErrorRate } from '../text/word-errors.ts';
import type { Reading } from '../timing/align-words.ts';
import type { VoiceSample } from './part-voice.ts';
import { isToBeHeard, type PlannedPart, type ScriptedRequest } from './plan.ts';

export interface SeededRequest extends ScriptedRequest {
  readonly seed: number;
  /** Loaded for `lora`. */
  readonly adapter?: AdapterUse | undefined;
}

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
  readonly samples: Float32Array;
  readonly count: number;
  readonly seed: number;
  readonly tries: readonly Attempt[];
  /** With `timestamps`, if the backend reports attention. */
  readonly reading?: Reading | undefined;
}

export type OnPatch = (report: Pick<Progress, 'attempt' | 'patches' | 'maxPatches'>) => void;

/** An attempt with its audio. */
interface Take {
  readonly attempt: Attempt;
  readonly chunks: readonly Chunk[];
  readonly isSilent: boolean;
}

/**
 * Attempts follow each other, with the next seed each, until one is right or there were as many as requested: then the
 * best one counts.
 *
 * @param request from `partRequest`, with the seed of the part
 */
export async function speakPart(
  engine: PartEngine,
  part: PlannedPart,
  request: SeededRequest,
  signal: AbortSignal,
  onPatch: OnPatch,
  timestamps: 'none' | 'words' = 'none',
): Promise<PartOutcome> {
  const prepared = await engine.preparation.prepare(request, signal);
  const place = timestamps === 'words' ? engine.preparation.locate(request, prepared, part.text) : undefined;
  const tries: Attempt[] = [];
  let best: Take | undefined;
  for (let number = 1; ; number += 1) {
    const isLast = !request.retryBadcase || number >= request.retryBadcaseMaxTimes;
    const take = await speakOnce({ engine, part, request, prepared, place, number, isLast, signal, onPatch });
    const { attempt, chunks } = take;
    tries.push(attempt);
    // An attempt that was given up has no end.
    const isComplete = chunks.at(-1)?.end !== undefined;
    if (isComplete && (best === undefined || isBetter(attempt, best.attempt))) best = take;
    if (attempt.problem === undefined || isLast) return outcomeOf({ part, place, tries }, best ?? take);
  }
}

/** Of attempts that are equally bad, the last one counts. */
function isBetter(attempt: Attempt, other: Attempt): boolean {
  const rank = ({ problem }: Attempt): number => (problem === undefined ? -1 : problems.indexOf(problem));
  const errors = ({ wordErrorRate = 0 }: Attempt): number => wordErrorRate;
  return rank(attempt) < rank(other) || (rank(attempt) === rank(other) && errors(attempt) <= errors(other));
}

const outcomeOf = (
  { place, ...outcome }: Pick<PartOutcome, 'part' | 'tries'> & Pick<Trial, 'place'>,
  { attempt, chunks, isSilent }: Take,
): PartOutcome => ({
  ...outcome,
  text: outcome.part.text,
  style: outcome.part.style,
  patches: concatenate(chunks.map(({ patch }) => patch)),
  samples: concatenate(chunks.map(({ samples }) => samples)),
  count: chunks.length,
  end: chunks.at(-1)?.end ?? 'limit',
  isSilent,
  seed: attempt.seed,
  reading: place && readingOf(place, chunks),
});

/** How the model read a text, if the backend reports attention. */
export function readingOf({ text, tokenStarts }: SpokenPlace, chunks: readonly Chunk[]): Reading | undefined {
  const patches = chunks.flatMap(({ samples, attention }) => (samples.length > 0 && attention ? [attention] : []));
  return patches.length === 0 ? undefined : { text, tokenStarts, patches };
}

interface Trial {
  readonly engine: PartEngine;
  readonly part: PlannedPart;
  readonly request: SeededRequest;
  readonly prepared: PreparedUtterance;
  /** Of the text in the prefix, to time its words. */
  readonly place: SpokenPlace | undefined;
  /** 1-based. */
  readonly number: number;
  /** No attempt follows, so that this one is finished whatever it sounds like. */
  readonly isLast: boolean;
  readonly signal: AbortSignal;
  readonly onPatch: OnPatch;
}

async function speakOnce(trial: Trial): Promise<Take> {
  const { engine, part, request, prepared, place, number, isLast, signal, onPatch } = trial;
  const { info } = engine.backend;
  const { contextPatches, targetTokens, maxPatches } = prepared;
  const counted = info.architecture === 'voxcpm' ? contextPatches : 0;
  const hasWords = isSpeakable(part.text);
  const seed = attemptSeed(request.seed, number - 1);
  const chunks: Chunk[] = [];
  const sound = createSoundCheck(info);
  const isLong = (): boolean => isBadCase(counted + chunks.length, targetTokens, request.retryBadcaseRatioThreshold);

  function problem(): Problem | undefined {
    if (!request.retryBadcase) return undefined;
    if (isLong()) return 'long';
    if (!hasWords) return undefined;
    if (sound.isSilent()) return 'silent';
    if (request.retryShort && isTooShort(sound.soundSeconds(), part.text)) return 'short';
    return request.retryClipped && sound.isClipped() ? 'clipped' : undefined;
  }

  const utterance = { ...prepared, noise: seededNoise(seed), text: place?.positions };
  for await (const chunk of generate(engine.backend, utterance, signal)) {
    chunks.push(chunk);
    sound.push(chunk.samples);
    onPatch({ attempt: number, patches: chunks.length, maxPatches });
    // The attempt cannot recover; the official code finishes it with the same outcome.
    if (!isLast && (isLong() || (hasWords && sound.isHopeless()))) break;
  }
  const attempt: Attempt = { part: part.index + 1, seed, problem: problem() };
  const isSilent = isToBeHeard(part) && sound.isSilent();
  const { recognize } = engine;
  if (recognize === undefined || !request.retryBadcase || !hasWords || attempt.problem !== undefined)
    return { attempt, chunks, isSilent };
  const samples = concatenate(chunks.map(({ samples: some }) => some));
  const heard = await transcribe({ samples, sampleRate: info.outputSampleRate }, recognize, signal);
  return { attempt: { ...attempt, ...judge(heard, part.text, request) }, chunks, isSilent };
}

type Heard = Pick<Attempt, 'transcript' | 'failure'>;

/** A recognizer that fails does not cost the audio. */
async function transcribe(audio: Parameters<Recognize>[0], recognize: Recognize, signal: AbortSignal): Promise<Heard> {
  try {
    return { transcript: await recognize(audio, signal) };
  } catch (error) {
    throwIfCanceled(signal);
    return { failure: messageOf(error) };
  }
}

function judge(heard: Heard, text: string, { maxWordErrors }: SeededRequest): Partial<Attempt> {
  const { transcript } = heard;
  if (transcript === undefined) return heard;
  const rate = wordErrorRate(text, transcript);
  return { transcript, wordErrorRate: rate, problem: rate > maxWordErrors ? 'words' : undefined };
}
