/** Cuts samples into 16-bit frames of fixed length for encoders. */
import { type LibavFrame, monoFrame } from '../libraries/libav.ts';
import type { Transform } from '../transform.ts';
import { toInt16 } from './wav-encode.ts';

export interface FrameCutterOptions {
  /** Samples per frame. */
  readonly frameSize: number;
  readonly sampleRate: number;
  /** One of FFmpeg's 16-bit sample formats. */
  readonly format: number;
  /** Channel layout of the format. */
  readonly layout: 'planar' | 'interleaved';
}

/** Returns whole frames, and the rest at the end. */
export function createFrameCutter(options: FrameCutterOptions): Transform<Float32Array, readonly LibavFrame[]> {
  const { frameSize, sampleRate, format, layout } = options;
  let pending = new Int16Array(0);
  let time = 0;
  const take = (least: number): LibavFrame[] => {
    const frames: LibavFrame[] = [];
    let start = 0;
    while (pending.length - start >= least) {
      const samples = pending.slice(start, start + frameSize);
      const frame = monoFrame(samples, format, sampleRate, time);
      frames.push(layout === 'planar' ? { ...frame, data: [samples] } : frame);
      time += samples.length;
      start += samples.length;
    }
    pending = pending.slice(start);
    return frames;
  };
  return {
    push(samples) {
      const joined = new Int16Array(pending.length + samples.length);
      joined.set(pending);
      joined.set(toInt16(samples), pending.length);
      pending = joined;
      return take(frameSize);
    },
    flush: () => take(1),
    close: () => undefined,
  };
}
