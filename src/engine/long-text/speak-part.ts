/** Speaks one part of a text, again if it babbles or is silent. */

import { concatenate } from '../../concatenate.ts';
import type { Backend } from '../backend.ts';
import { attemptSeed, createSilenceCheck, isBadCase, maxAttempts } from '../bad-case.ts';
import { type Chunk, generate } from '../generate.ts';
import { seededNoise } from '../noise.ts';
import type { Preparation, SpokenPlace } from '../prepare.ts';
import { isSpeakable } from '../text/clean.ts';
import type { Reading } from '../timing/align-words.ts';
import { isToBeHeard, type PlannedPart, type ScriptedRequest, type VoiceSample } from './plan.ts';

export interface SeededRequest extends ScriptedRequest {
  readonly seed: number;
}

export interface Progress {
  /** 1-based number of this part; several parts may be generated at once. */
  readonly part: number;
  /** Number of parts of the text. */
  readonly parts: number;
  /** Number of finished parts. */
  readonly finished: number;
  /** 1-based; larger than 1 if an earlier attempt babbled or was silent. */
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
}

/** A finished part before joining. */
export interface PartOutcome extends VoiceSample {
  readonly part: PlannedPart;
  readonly samples: Float32Array;
  readonly count: number;
  readonly seed: number;
  readonly attempts: number;
  /** With `timestamps`, if the backend reports attention. */
  readonly reading?: Reading | undefined;
}

export type OnPatch = (report: Pick<Progress, 'attempt' | 'patches' | 'maxPatches'>) => void;

/** @param request from `partRequest`, with the seed of the part */
export async function speakPart(
  { backend, preparation }: PartEngine,
  part: PlannedPart,
  request: SeededRequest,
  signal: AbortSignal,
  onPatch: OnPatch,
  timestamps: 'none' | 'words' = 'none',
): Promise<PartOutcome> {
  const { info } = backend;
  const prepared = await preparation.prepare(request, signal);
  const counted = info.architecture === 'voxcpm' ? prepared.contextPatches : 0;
  const { maxPatches } = prepared;
  const place = timestamps === 'words' ? preparation.locate(request, prepared, part.text) : undefined;
  const hasWords = isSpeakable(part.text);
  for (let attempt = 1; ; attempt += 1) {
    const mayRetry = request.retryBadcase && attempt < maxAttempts;
    const seed = attemptSeed(request.seed, attempt - 1);
    const chunks: Chunk[] = [];
    const silence = createSilenceCheck(info);
    let bad = false;
    for await (const chunk of generate(
      backend,
      { ...prepared, noise: seededNoise(seed), text: place?.positions },
      signal,
    )) {
      chunks.push(chunk);
      silence.push(chunk.samples);
      onPatch({ attempt, patches: chunks.length, maxPatches });
      // The attempt cannot recover; the official code finishes it with the same outcome.
      bad =
        mayRetry && (isBadCase(counted + chunks.length, prepared.targetTokens) || (hasWords && silence.isHopeless()));
      if (bad) break;
    }
    const isSilent = isToBeHeard(part) && silence.isSilent();
    if (bad || (mayRetry && hasWords && isSilent)) continue;
    return {
      part,
      request,
      patches: concatenate(chunks.map(({ patch }) => patch)),
      samples: concatenate(chunks.map(({ samples }) => samples)),
      count: chunks.length,
      end: chunks.at(-1)?.end ?? 'limit',
      isSilent,
      seed,
      attempts: attempt,
      reading: place && readingOf(place, chunks),
    };
  }
}

function readingOf({ text, tokenStarts }: SpokenPlace, chunks: readonly Chunk[]): Reading | undefined {
  const patches = chunks.flatMap(({ samples, attention }) => (samples.length > 0 && attention ? [attention] : []));
  return patches.length === 0 ? undefined : { text, tokenStarts, patches };
}
