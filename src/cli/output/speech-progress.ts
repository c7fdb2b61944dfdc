/** Estimates synthesis progress: the length of the speech is known only at its end. */
import type { ModelInfo } from '../../engine/backend.ts';
import type { Progress } from '../../engine/engine.ts';
import { estimateSeconds } from '../../engine/text/estimate-seconds.ts';

export function estimatePatches(
  text: string,
  { patchSamples, outputSampleRate }: Pick<ModelInfo, 'patchSamples' | 'outputSampleRate'>,
): number {
  return Math.max(1, (estimateSeconds(text) * outputSampleRate) / patchSamples);
}

/** A part that takes longer than estimated stays short of its end. */
const mostOfPart = 0.95;

/**
 * From reports of the engine to the share of a text that is spoken, from 0 to below 1. Never falls: a part that is
 * generated again waits until it has caught up.
 */
export function createSpeechShare(
  expectedPatches: number,
): (progress: Pick<Progress, 'part' | 'parts' | 'finished' | 'patches'>) => number {
  const patchesOf = new Map<number, number>();
  let share = 0;
  return ({ part, parts, finished, patches }) => {
    patchesOf.set(part, patches);
    const perPart = expectedPatches / parts;
    const spoken = [...patchesOf.values()].reduce((sum, count) => sum + Math.min(mostOfPart, count / perPart), 0);
    share = Math.max(share, spoken / parts, finished / parts);
    return share;
  };
}
