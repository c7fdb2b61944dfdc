/** Measures how well a recording would serve as a voice. Free of imports that web pages can't have. */
import type { Audio } from '../audio.ts';

/** Levels are root mean squares in dB relative to full scale. */
export interface RecordingQuality {
  readonly seconds: number;
  /** Level of the speech, without its pauses and without the noise. */
  readonly levelDb: number;
  /** Level of the background in the pauses; undefined without pauses, as of music or a tone. */
  readonly noiseDb: number | undefined;
  /** Speech above the background. */
  readonly snrDb: number | undefined;
  /** Fraction of frames below -50 dB. */
  readonly silent: number;
  /** Fraction of samples near full scale. */
  readonly clipped: number;
}

/** Range in seconds that captures a voice well, as recommended by the official interfaces. */
const shortest = 1;
const longest = 30;
const mostlySilent = 0.6;
/** More samples near full scale than an undistorted recording has. */
const mostClipped = 0.001;
const quietestDb = -36;
/** Speech of a good microphone in a quiet room is 30 dB above the background and more. */
const noisiestDb = 15;

const framesPerSecond = 50;
/** A frame of 20 ms below this level is silence. */
const silentDb = -50;
const clippedLevel = 0.999;
/** Frames up to this far below the loudest are speech, as in ITU-T P.56. */
const speechRangeDb = 16;
/** Fraction of frames that are pauses in any speech. */
const pausePart = 0.05;
/** A smaller difference between pauses and speech is no pause. */
const leastPauseDb = 3;
/** Lower than the noise of any microphone; also the level of digital silence. */
const lowestDb = -96;

export function measureRecording({ samples, sampleRate }: Pick<Audio, 'samples' | 'sampleRate'>): RecordingQuality {
  const powers = framePowers(samples, Math.max(1, Math.round(sampleRate / framesPerSecond)));
  const sorted = powers.toSorted();
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  const loud = decibels(at(0.95));
  const speech = powers.filter((power) => decibels(power) > loud - speechRangeDb);
  const total = mean(speech);
  const noise = mean(sorted.subarray(0, Math.max(1, Math.floor(2 * pausePart * sorted.length))));
  const hasPauses = decibels(total) - decibels(noise) > leastPauseDb;
  const levelDb = decibels(hasPauses ? total - noise : total);
  const noiseDb = hasPauses ? decibels(noise) : undefined;
  return {
    seconds: samples.length / sampleRate,
    levelDb,
    noiseDb,
    snrDb: noiseDb === undefined ? undefined : levelDb - noiseDb,
    silent: powers.filter((power) => decibels(power) < silentDb).length / Math.max(1, powers.length),
    clipped: countClipped(samples) / Math.max(1, samples.length),
  };
}

/** `-21 dB`. */
const shownDb = (level: number): string => `${Math.round(level)} dB`;

/** One line for people, such as `5.0 s, speech -21 dB, noise -62 dB (41 dB below)`. */
export function describeQuality({ seconds, levelDb, noiseDb, snrDb = 0, clipped }: RecordingQuality): string {
  const noise = noiseDb === undefined ? [] : [`noise ${shownDb(noiseDb)} (${Math.round(snrDb)} dB below)`];
  const cut = clipped === 0 ? [] : [`${(clipped * 100).toFixed(clipped < 0.001 ? 2 : 1)} % clipped`];
  return [`${seconds.toFixed(1)} s`, `speech ${shownDb(levelDb)}`, ...noise, ...cut].join(', ');
}

/** Why a voice of it may sound poor; each completes `the recording …`. @param denoiser option that removes noise */
export function qualityWarnings(
  { seconds, levelDb, snrDb, silent, clipped }: RecordingQuality,
  denoiser?: string,
): readonly string[] {
  const remedy = denoiser === undefined ? '' : `, or remove the noise with ${denoiser}`;
  const isSilent = silent > mostlySilent;
  const findings: readonly (readonly [boolean, string])[] = [
    [seconds < shortest, `is only ${seconds.toFixed(2)} seconds long; 3 to 30 seconds sound best`],
    [seconds > longest, `is ${Math.round(seconds)} seconds long; 3 to 30 seconds sound best`],
    [isSilent, `is silent for ${Math.round(silent * 100)} % of its length`],
    [!isSilent && levelDb < quietestDb, `is quiet (${shownDb(levelDb)}); a louder recording sounds better`],
    [
      snrDb !== undefined && snrDb < noisiestDb,
      `is noisy: the background is only ${Math.round(snrDb ?? 0)} dB below the speech; record in a quieter place${remedy}`,
    ],
    [clipped > mostClipped, 'is clipped; a quieter recording sounds better'],
  ];
  return findings.filter(([found]) => found).map(([, what]) => what);
}

const decibels = (power: number): number => Math.max(lowestDb, 10 * Math.log10(power));

const mean = (powers: Float64Array): number =>
  powers.reduce((sum, power) => sum + power, 0) / Math.max(1, powers.length);

/** Mean squares of frames; the last may be shorter. */
function framePowers(samples: Float32Array, frameLength: number): Float64Array {
  const powers = new Float64Array(Math.ceil(samples.length / frameLength));
  for (let frame = 0; frame < powers.length; frame += 1) {
    const end = Math.min(samples.length, (frame + 1) * frameLength);
    let energy = 0;
    for (let index = frame * frameLength; index < end; index += 1) energy += (samples[index] as number) ** 2;
    powers[frame] = energy / (end - frame * frameLength);
  }
  return powers;
}

/** A loop, like the one above: callbacks are ten times slower, and a recording may have millions of samples. */
function countClipped(samples: Float32Array): number {
  let count = 0;
  for (let index = 0; index < samples.length; index += 1) {
    if (Math.abs(samples[index] as number) >= clippedLevel) count += 1;
  }
  return count;
}
