/** Shows how well recordings would serve as voices. */
import { describeQuality, measureRecording, type RecordingQuality } from '../../audio/analyze/recording-quality.ts';
import type { SynthesisRequest } from '../../engine/request.ts';
import type { Io } from '../io.ts';
import { printNote } from './messages.ts';
import { round } from './units.ts';

export const noteQuality = (what: string, quality: RecordingQuality, io: Pick<Io, 'stderr' | 'environment'>): void =>
  printNote(`${what}: ${describeQuality(quality)}`, io);

/** For JSON. */
export const plainQuality = ({ seconds, levelDb, noiseDb, snrDb, silent, clipped }: RecordingQuality): object => ({
  seconds: round(seconds, 3),
  levelDb: round(levelDb, 1),
  noiseDb: noiseDb === undefined ? null : round(noiseDb, 1),
  snrDb: snrDb === undefined ? null : round(snrDb, 1),
  silent: round(silent, 3),
  clipped: round(clipped, 6),
});

/** Quality of the recordings that a request clones. */
export const qualitiesOf = (request: Recorded) =>
  recordingsOf(request).map(([role, audio]) => [role, measureRecording(audio)] as const);

type Recorded = Pick<SynthesisRequest, 'promptAudio' | 'referenceAudio'>;

/** Recordings of a request, without stored voices. */
export function recordingsOf({ promptAudio, referenceAudio }: Recorded) {
  const recordings = [['prompt', promptAudio] as const, ['reference', referenceAudio] as const];
  return recordings.flatMap(([role, audio]) =>
    audio === undefined || 'patches' in audio ? [] : [[role, audio] as const],
  );
}
