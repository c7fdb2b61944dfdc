/** Shows how well recordings would serve as voices. */
import { describeQuality, measureRecording, type RecordingQuality } from '../../audio/analyze/recording-quality.ts';
import type { SynthesisRequest } from '../../engine/request.ts';
import type { Io } from '../io.ts';
import { printNote } from './messages.ts';

export const noteQuality = (what: string, quality: RecordingQuality, io: Pick<Io, 'stderr' | 'environment'>): void =>
  printNote(`${what}: ${describeQuality(quality)}`, io);

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/** For JSON. */
export const plainQuality = ({ seconds, levelDb, noiseDb, snrDb, silent, clipped }: RecordingQuality): object => ({
  seconds: rounded(seconds, 3),
  levelDb: rounded(levelDb, 1),
  noiseDb: noiseDb === undefined ? null : rounded(noiseDb, 1),
  snrDb: snrDb === undefined ? null : rounded(snrDb, 1),
  silent: rounded(silent, 3),
  clipped: rounded(clipped, 6),
});

/** Quality of the recordings that a request clones. */
export function qualitiesOf({
  promptAudio,
  referenceAudio,
}: Pick<SynthesisRequest, 'promptAudio' | 'referenceAudio'>): readonly (readonly [
  role: 'prompt' | 'reference',
  RecordingQuality,
])[] {
  const recordings = [['prompt', promptAudio] as const, ['reference', referenceAudio] as const];
  return recordings.flatMap(([role, audio]) =>
    audio === undefined || 'patches' in audio ? [] : [[role, measureRecording(audio)] as const],
  );
}
