/**
 * Shortens silence at both ends of audio, with the figures of `trim_silence_vad` of the official code
 * (`voxcpm/model/voxcpm2.py`): 0.2 s stay, and silence is 35 dB below the peak.
 */
import { concatenate } from '../../float-arrays.ts';
import type { Audio } from '../audio.ts';
import type { SampleTransform } from '../transform.ts';

const keptSeconds = 0.2;
const quietShare = 10 ** (-35 / 20);

/** In samples at the 16 kHz at which the official code trims. */
const frameLength = 2048;
const frameStep = 512;
const frameRate = 16_000;

/**
 * Trims a recording as the official code does: the beginning relative to its loudest frame, as `librosa.effects.trim`,
 * the end relative to its loudest sample.
 */
export function trimRecording(audio: Audio): Audio {
  const { samples, sampleRate } = audio;
  const length = Math.round((frameLength * sampleRate) / frameRate);
  const step = Math.round((frameStep * sampleRate) / frameRate);
  const count = samples.length;
  const peak = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (peak === 0) return audio;
  // Frames around each step, with zeros beyond the ends.
  const levels = Array.from({ length: 1 + Math.floor(count / step) }, (_, index) =>
    rms(samples, index * step - length / 2, length),
  );
  const threshold = levels.reduce((most, level) => Math.max(most, level), 0) * quietShare;
  const first = levels.findIndex((level) => level > threshold);
  const last = levels.findLastIndex((level) => level > threshold);
  const start = Math.max(0, first * step);
  let end = last < 0 ? count : Math.min(count, (last + 1) * step);
  for (let from = Math.floor((count - length) / step) * step; from >= 0; from -= step) {
    if (rms(samples, from, length) < peak * quietShare) continue;
    end = Math.min(end, from + length);
    break;
  }
  const kept = Math.trunc(keptSeconds * sampleRate);
  return { ...audio, samples: samples.slice(Math.max(0, start - kept), Math.min(count, end + kept)) };
}

function rms(samples: Float32Array, from: number, length: number): number {
  let sum = 0;
  const end = Math.min(samples.length, from + length);
  for (let index = Math.max(0, Math.round(from)); index < end; index += 1) sum += (samples[index] as number) ** 2;
  return Math.sqrt(sum / length);
}

const blockSeconds = 0.02;
/** -50 dBFS: before the first sound, the peak of the speech is unknown. */
const quietestLevel = 10 ** (-50 / 20);
/** Far beyond full scale, and no sound: relative to such a peak, all speech would be silence. */
const loudest = 4;

/**
 * Trims speech as it is generated, whatever the size of its pieces. Silence is held back until sound follows, and
 * measured against the loudest sample so far.
 */
export function createSilenceTrim(sampleRate: number): SampleTransform & { skipped(): number } {
  const blockLength = Math.round(blockSeconds * sampleRate);
  const keptBlocks = Math.round(keptSeconds / blockSeconds);
  let peak = 0;
  let hasSound = false;
  let skipped = 0;
  /** Silence that may be followed by sound; before the first sound, only what would be kept. */
  const held: Float32Array[] = [];
  /** Less than a block. */
  let rest: Float32Array = new Float32Array(0);

  /** Returns what can be played after the next block. */
  function take(block: Float32Array): readonly Float32Array[] {
    for (const value of block) if (Math.abs(value) <= loudest) peak = Math.max(peak, Math.abs(value));
    held.push(block);
    if (rms(block, 0, block.length) <= Math.max(quietestLevel, peak * quietShare)) {
      if (!hasSound && held.length > keptBlocks) skipped += held.shift()?.length ?? 0;
      return [];
    }
    hasSound = true;
    return held.splice(0);
  }

  return {
    push(samples) {
      const all = concatenate([rest, samples]);
      const taken: Float32Array[] = [];
      let from = 0;
      for (; from + blockLength <= all.length; from += blockLength)
        taken.push(...take(all.subarray(from, from + blockLength)));
      rest = all.slice(from);
      return concatenate(taken);
    },
    flush() {
      const last = rest.length > 0 ? take(rest) : [];
      rest = new Float32Array(0);
      return concatenate([...last, ...held.splice(0).slice(0, keptBlocks)]);
    },
    close: () => undefined,
    /** Number of samples left out before the first sound so far. */
    skipped: () => skipped,
  };
}
