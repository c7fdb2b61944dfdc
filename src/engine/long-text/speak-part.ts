/** One part of a text as a whole, spoken again when it babbles or is silent. */

import { concatenate } from '../../concatenate.ts';
import type { Backend } from '../backend.ts';
import { attemptSeed, createSilenceCheck, isBadCase, maxAttempts } from '../bad-case.ts';
import { type Chunk, generate } from '../generate.ts';
import { seededNoise } from '../noise.ts';
import type { Preparation } from '../prepare.ts';
import type { ResolvedRequest } from '../request.ts';
import { isSpeakable } from '../text/clean.ts';
import { isToBeHeard, type PlannedPart, type VoiceSample } from './plan.ts';

export interface SeededRequest extends ResolvedRequest {
  readonly seed: number;
}

export interface Progress {
  /** 1-based number of the part that this is about; parts may be made beside each other. */
  readonly part: number;
  /** Parts of the text. */
  readonly parts: number;
  /** Parts that are made. */
  readonly finished: number;
  /** 1-based; larger than 1 when an earlier attempt babbled or was silent. */
  readonly attempt: number;
  /** Patches of this attempt so far. */
  readonly patches: number;
  /** Patches after which the attempt ends at the latest. */
  readonly maxPatches: number;
}

/** What speaking takes. */
export interface PartEngine {
  /** Takes several calls at once, as a scheduler does. */
  readonly backend: Backend;
  readonly preparation: Preparation;
}

/** One part before it is joined to the others. */
export interface PartOutcome extends VoiceSample {
  readonly part: PlannedPart;
  readonly samples: Float32Array;
  readonly count: number;
  readonly seed: number;
  readonly attempts: number;
}

type OnPatch = (report: Pick<Progress, 'attempt' | 'patches' | 'maxPatches'>) => void;

/** `request` is that of the part, see `partRequest`, with the part's seed. */
export async function speakPart(
  { backend, preparation }: PartEngine,
  part: PlannedPart,
  request: SeededRequest,
  signal: AbortSignal,
  onPatch: OnPatch,
): Promise<PartOutcome> {
  const { info } = backend;
  const prepared = await preparation.prepare(request, signal);
  const counted = info.architecture === 'voxcpm' ? prepared.contextPatches : 0;
  const { maxPatches } = prepared;
  const hasWords = isSpeakable(part.text);
  for (let attempt = 1; ; attempt += 1) {
    const mayRetry = request.retryBadcase && attempt < maxAttempts;
    const seed = attemptSeed(request.seed, attempt - 1);
    const chunks: Chunk[] = [];
    const silence = createSilenceCheck(info);
    let bad = false;
    for await (const chunk of generate(backend, { ...prepared, noise: seededNoise(seed) }, signal)) {
      chunks.push(chunk);
      silence.push(chunk.samples);
      onPatch({ attempt, patches: chunks.length, maxPatches });
      // What follows can't make it good again: the official code runs on to the end, with the same outcome.
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
    };
  }
}
