/** Synthetic prompt audio and transcript; the content doesn't affect the time. */
import type { Audio } from '../audio/audio.ts';
import { seededNoise } from '../engine/noise.ts';

export const promptText = 'This is what is said in the recording.';

/** Quiet noise, different for each number. */
export function promptAudio(seconds: number, sampleRate: number, recording: number): Audio {
  const samples = seededNoise(recording).next(Math.round(seconds * sampleRate));
  return { samples: samples.map((value) => value * 0.05), sampleRate, channels: 1 };
}
