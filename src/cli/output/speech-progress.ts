/** The progress of speech, an estimate: its length is known only at its end. */
import { performance } from 'node:perf_hooks';
import type { ModelInfo } from '../../engine/backend.ts';
import type { Progress } from '../../engine/long-text/speak-part.ts';
import { estimateSeconds } from '../../engine/text/estimate-seconds.ts';
import type { Io } from '../io.ts';
import type { SpeakOptions } from '../options/speak-options.ts';
import type { WorkFolder } from '../resume/work-folder.ts';
import { printNote } from './messages.ts';
import type { Output } from './output.ts';
import { createProgress } from './progress.ts';

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

type SpeakingPlace = { readonly output: Output; readonly mayRetract: boolean; readonly work: WorkFolder | undefined };

/** The progress bar of `svc tts` and `svc clone`. @param text to estimate the length of the speech */
export function createSpeakingProgress(
  text: string,
  info: ModelInfo,
  { output, mayRetract, work }: SpeakingPlace,
  { quiet, live }: Pick<SpeakOptions, 'quiet' | 'live'>,
  io: Io,
) {
  // How long a live text will be is unknown.
  const bar = quiet || live || output.kind === 'stream' ? undefined : createProgress(io.stderr);
  const shareOf = createSpeechShare(estimatePatches(text, info));
  const started = performance.now();
  let firstAudio: number | undefined;
  let patches = 0;
  return {
    /** Call after each patch. */
    report(progress: Progress): void {
      const { parts, finished, attempt } = progress;
      if (firstAudio === undefined && work?.isResumed && !quiet)
        printNote(`resuming: ${finished} of ${parts} parts are finished`, io);
      firstAudio ??= performance.now() - started;
      patches += 1;
      // A stream has one part after the other, of an unknown number.
      if (!mayRetract) return void bar?.update('speaking', shareOf({ part: 1, parts: 1, finished: 0, patches }));
      const detail = parts === 1 ? undefined : `${finished} of ${parts} parts`;
      bar?.update(attempt === 1 ? 'speaking' : `speaking, attempt ${attempt}`, shareOf(progress), detail);
    },
    /** Milliseconds from the creation to the first patch. */
    firstAudio: () => firstAudio,
    complete: () => bar?.complete(),
    stop: () => bar?.stop(),
    [Symbol.dispose]: () => bar?.stop(),
  };
}
