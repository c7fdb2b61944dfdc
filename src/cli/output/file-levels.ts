/** The levels of a finished file, as reports and the work folder have them. */
import { z } from 'zod';
import { acxProblems } from '../../audio/analyze/acx.ts';
import type { Levels } from '../../audio/analyze/levels.ts';
import type { LoudnessTarget } from '../../audio/loudness/loudness-target.ts';
import { quote } from '../../messages.ts';
import { round } from './round.ts';

/** Null of silence. */
const level = z.number().nullable();

export const fileLevelsSchema = z
  .object({
    ...{ loudness: level, truePeak: level, rms: level, peak: level, noiseFloor: level },
    /** Reasons that keep ACX from accepting the file. */
    acx: z.array(z.string()).readonly(),
  })
  .readonly();
export type FileLevels = z.infer<typeof fileLevelsSchema>;

export function fileLevels(levels: Levels): FileLevels {
  const plain = (value: number | undefined): number | null =>
    value === undefined || !Number.isFinite(value) ? null : round(value, 2);
  return {
    loudness: plain(levels.loudness),
    truePeak: plain(levels.truePeak),
    rms: plain(levels.rms),
    peak: plain(levels.peak),
    noiseFloor: plain(levels.noiseFloor),
    acx: acxProblems(levels),
  };
}

/** `-20.0 LUFS, true peak -3.6 dB, fit for ACX`. */
export function describeLevels({ loudness, truePeak, acx }: FileLevels): string {
  const shown = (value: number | null, unit: string): string =>
    value === null ? 'silent' : `${value.toFixed(1)} ${unit}`;
  const fit = acx.length === 0 ? 'fit for ACX' : `not fit for ACX (${acx.join('; ')})`;
  return `${shown(loudness, 'LUFS')}, true peak ${shown(truePeak, 'dB')}, ${fit}`;
}

/** In LU: what nobody hears. */
const tolerance = 0.5;

/** Warnings about a file that is not as loud as it was to be. */
export function loudnessWarnings(path: string, { loudness }: FileLevels, target: LoudnessTarget): readonly string[] {
  if (loudness === null) return [`${quote(path)} is too short or too quiet to set its loudness`];
  if (Math.abs(loudness - target.loudness) <= tolerance) return [];
  const way = `--true-peak ${target.truePeak} allows no more`;
  return [`the loudness of ${quote(path)} is ${loudness.toFixed(1)} LUFS instead of ${target.loudness}: ${way}`];
}
