/** The levels that ACX, which brings audiobooks to Audible, requires of each file (acx.com/help/acx-audio-submission-requirements). */
import type { Levels } from './levels.ts';

const loudestRms = -18;
const quietestRms = -23;
const highestPeak = -3;
const highestNoise = -60;

/** Reasons that keep a file from being accepted, one phrase each; empty for one that is. */
export function acxProblems({ rms, peak, noiseFloor }: Levels): readonly string[] {
  const shown = (level: number): string => `${level.toFixed(1)} dB`;
  return [
    ...(rms > loudestRms ? [`RMS ${shown(rms)} is above ${loudestRms} dB`] : []),
    ...(rms < quietestRms ? [`RMS ${shown(rms)} is below ${quietestRms} dB`] : []),
    ...(peak > highestPeak ? [`peak ${shown(peak)} is above ${highestPeak} dB`] : []),
    ...(noiseFloor > highestNoise ? [`noise floor ${shown(noiseFloor)} is above ${highestNoise} dB`] : []),
  ];
}
