/** Synthesizes one part of a text, and regenerates it if something is wrong with it. */
import { throwIfCanceled } from '../../cancellation.ts';
import { messageOf } from '../../errors.ts';
import { concatenate } from '../../float-arrays.ts';
import type { AcceptedFields } from '../accepted.ts';
import type { AdapterUse, Backend, ModelInfo } from '../backend.ts';
import { attemptSeed, createSoundCheck, isBadCase, isTooShort, type Problem, problems } from '../bad-case.ts';
import { type Chunk, generate, type Utterance } from '../generate.ts';
import { seededNoise } from '../noise.ts';
import { expectsSound, type PlannedPart } from '../plan/plan.ts';
import type { Preparation, SpokenPlace } from '../prepare.ts';
import type { Recognize } from '../recognize.ts';
import type { RequestFields } from '../request.ts';
import { isSpeakable } from '../text/clean.ts';
import { wordErrorRate } from '../text/word-errors.ts';
import type { Reading } from '../timing/align-words.ts';
import { learnVoice, partRequest, partSeed, type Speaker, type VoiceSample } from './part-voice.ts';

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
  /** Checks the words of speech that may be retracted. */
  readonly recognize?: Recognize | undefined;
}

export interface Attempt {
  /** 1-based number of the part. */
  readonly part: number;
  readonly seed: number;
  /** Undefined if nothing is wrong, or `retryBadcase` is off. */
  readonly problem?: Problem | undefined;
  /** Words that the recognizer understood; only of attempts that sound right. */
  readonly transcript?: string | undefined;
  readonly wordErrorRate?: number | undefined;
  /** Why the recognizer gave no transcript. */
  readonly failure?: string | undefined;
}

export interface PartOutcome extends VoiceSample {
  readonly part: PlannedPart;
  /** Empty if they were played and no words are timed. */
  readonly samples: Float32Array;
  readonly count: number;
  readonly seed: number;
  readonly tries: readonly Attempt[];
  /** With `timestamps`, if the backend reports attention. */
  readonly reading?: Reading | undefined;
  /** The chunk that is played with the end of the part, if others were before. */
  readonly last?: Chunk | undefined;
}

export type OnPatch = (report: Pick<Progress, 'attempt' | 'patches' | 'maxPatches'>) => void;

export interface Speaking {
  readonly request: AcceptedFields;
  /** Loaded for `lora`. */
  readonly adapter: AdapterUse | undefined;
  readonly speakerOf: (voice: string | undefined) => Speaker;
  /**
   * Whether a bad attempt may be retracted, as it was not played yet: then the best attempt is the outcome. Else each chunk is
   * yielded as it is generated, and only silence is repeated.
   */
  readonly mayRetract: boolean;
  readonly timestamps: 'none' | 'words';
  readonly signal: AbortSignal;
}

/**
 * Attempts follow each other, with the next seed each, until one is right or there were as many as requested: then the
 * best one counts, or the last one if all were played.
 *
 * @returns chunks as they are played, then the outcome
 */
export async function* speakPart(
  engine: PartEngine,
  part: PlannedPart,
  { request: whole, adapter, speakerOf, mayRetract, timestamps, signal }: Speaking,
  onPatch: OnPatch,
): AsyncGenerator<Chunk | PartOutcome, void, undefined> {
  const { info } = engine.backend;
  const speaker = speakerOf(part.voice);
  const { voice } = speaker;
  const request = partRequest(await speaker.request(), part, voice);
  const firstSeed = partSeed(whole.seed, part.index);
  const prepared = await engine.preparation.prepare(request, signal);
  const place = timestamps === 'words' ? engine.preparation.locate(request, prepared, part.text) : undefined;
  const tries: Attempt[] = [];
  let best: PartOutcome | undefined;
  for (let number = 1; ; number += 1) {
    const isLast = !request.retryBadcase || number >= request.retryBadcaseMaxTimes;
    const quality = createQualityCheck(info, { part, request, mayRetract }, prepared);
    const seed = attemptSeed(firstSeed, number - 1);
    const utterance = { ...prepared, adapter, noise: seededNoise(seed), text: place?.positions };
    const chunks: Chunk[] = [];
    let played: Chunk | undefined;
    for await (const chunk of generate(engine.backend, utterance, signal)) {
      // Audio that is played is not kept, only what times its words.
      chunks.push(mayRetract || place !== undefined ? chunk : { ...chunk, samples: noSamples });
      quality.push(chunk.samples);
      onPatch({ attempt: number, patches: chunks.length, maxPatches: prepared.maxPatches });
      if (!mayRetract) played = chunk;
      // The attempt cannot recover; the official code finishes it with the same outcome.
      if (!isLast && quality.isHopeless()) break;
      if (played !== undefined && chunk.end === undefined) yield played;
    }
    const found: Attempt = { part: part.index + 1, seed, problem: quality.problem() };
    const attempt = mayRetract ? await checkWords(found, chunks, engine, part, request, signal) : found;
    tries.push(attempt);
    // An attempt that was given up has no end.
    const isComplete = chunks.at(-1)?.end !== undefined;
    const isEnd = attempt.problem === undefined || isLast;
    const counts = !mayRetract || (isComplete && (best === undefined || isBetter(attempt, attemptOf(best))));
    if (counts || (isEnd && best === undefined)) {
      best = {
        part,
        tries,
        text: part.text,
        style: part.style,
        patches: concatenate(chunks.map(({ patch }) => patch)),
        samples: concatenate(chunks.map(({ samples }) => samples)),
        count: chunks.length,
        end: chunks.at(-1)?.end ?? 'limit',
        isSilent: quality.isSilent(),
        seed,
        reading: place && readingOf(place, chunks),
      };
    }
    if (isEnd && best !== undefined) {
      speaker.voice = learnVoice(speaker.voice, best, info);
      yield { ...best, last: played };
      return;
    }
    if (played !== undefined) yield played;
  }
}

const noSamples = new Float32Array(0);

/** The last of equally bad attempts counts. */
function isBetter(attempt: Attempt, other: Attempt | undefined): boolean {
  if (other === undefined) return true;
  const rank = ({ problem }: Attempt): number => (problem === undefined ? -1 : problems.indexOf(problem));
  const errors = ({ wordErrorRate = 0 }: Attempt): number => wordErrorRate;
  return rank(attempt) < rank(other) || (rank(attempt) === rank(other) && errors(attempt) <= errors(other));
}

export const attemptOf = ({ tries, seed }: Pick<PartOutcome, 'tries' | 'seed'>): Attempt | undefined =>
  tries.find((attempt) => attempt.seed === seed);

function readingOf({ text, tokenStarts }: SpokenPlace, chunks: readonly Chunk[]): Reading | undefined {
  const patches = chunks.flatMap(({ samples, attention }) => (samples.length > 0 && attention ? [attention] : []));
  return patches.length === 0 ? undefined : { text, tokenStarts, patches };
}

/** Judges one attempt while it is generated; of one that is played, only whether it is silent. */
function createQualityCheck(
  info: ModelInfo,
  { part, request, mayRetract }: Pick<Speaking, 'request' | 'mayRetract'> & { readonly part: PlannedPart },
  { contextPatches, targetTokens }: Pick<Utterance, 'contextPatches' | 'targetTokens'>,
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
      // Only silence counts in speech that is played.
      if (mayRetract || sound.isSilent()) sound.push(samples);
    },
    isHopeless: (): boolean => isLong() || (hasWords && sound.isHopeless()),
    /** Whether the result is silent and should not be. */
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
  { retryBadcase, maxWordErrors, language, voiceLanguage, documentLanguage }: RequestFields,
  signal: AbortSignal,
): Promise<Attempt> {
  if (recognize === undefined || !retryBadcase || !isSpeakable(text) || attempt.problem !== undefined) return attempt;
  const samples = concatenate(chunks.map(({ samples: some }) => some));
  let transcript: string | undefined;
  try {
    transcript = await recognize({ samples, sampleRate: backend.info.outputSampleRate }, signal);
  } catch (error) {
    // A recognizer that fails does not cost the audio.
    throwIfCanceled(signal);
    return { ...attempt, failure: messageOf(error) };
  }
  if (transcript === undefined) return { ...attempt, transcript };
  const rate = await wordErrorRate(text, transcript, language ?? voiceLanguage ?? documentLanguage);
  return { ...attempt, transcript, wordErrorRate: rate, problem: rate > maxWordErrors ? 'words' : undefined };
}
