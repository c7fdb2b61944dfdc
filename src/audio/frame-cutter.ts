/** Samples in pieces of any length, as 16-bit frames of one length, which is what encoders want. */
import { type LibavFrame, monoFrame } from './libav.ts';
import type { Transform } from './transform.ts';
import { encodePcm } from './wav-encode.ts';

export interface FrameCutterOptions {
  /** Samples of a frame. */
  readonly frameSize: number;
  readonly sampleRate: number;
  /** One of FFmpeg's formats of 16-bit samples. */
  readonly format: number;
  /** How the format keeps channels: each by itself, or one after the other. */
  readonly layout: 'planar' | 'interleaved';
}

/** Gives whole frames, and at the end what is left. */
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
      pending = append(pending, samples);
      return take(frameSize);
    },
    flush: () => take(1),
    close: () => undefined,
  };
}

function append(pending: Int16Array, samples: Float32Array): Int16Array<ArrayBuffer> {
  const bytes = encodePcm(samples);
  const joined = new Int16Array(pending.length + samples.length);
  joined.set(pending);
  joined.set(new Int16Array(bytes.buffer, bytes.byteOffset, samples.length), pending.length);
  return joined;
}
