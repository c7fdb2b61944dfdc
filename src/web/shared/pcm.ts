/** Samples from the bytes of a stream, and as a picture. */

/** Splits a stream of 16-bit little-endian mono PCM, whose pieces end anywhere, into samples from -1 to 1. */
export function createPcmParser(): (bytes: Uint8Array) => Float32Array {
  let carried: number | undefined;
  return (bytes) => {
    const whole = new Uint8Array(bytes.length + (carried === undefined ? 0 : 1));
    if (carried !== undefined) whole[0] = carried;
    whole.set(bytes, whole.length - bytes.length);
    carried = whole.length % 2 === 1 ? whole[whole.length - 1] : undefined;
    const view = new DataView(whole.buffer);
    return Float32Array.from({ length: whole.length >> 1 }, (_, at) => view.getInt16(at * 2, true) / 32_768);
  };
}

export interface Peaks {
  /** Loudest sample of each hundredth of a second. */
  readonly values: readonly number[];
  append(samples: Float32Array): void;
}

export function createPeaks(sampleRate: number): Peaks {
  const span = Math.max(1, Math.round(sampleRate / 100));
  const values: number[] = [];
  let filled = 0;
  return {
    values,
    append(samples) {
      for (const sample of samples) {
        const bucket = Math.floor(filled++ / span);
        values[bucket] = Math.max(values[bucket] ?? 0, Math.abs(sample));
      }
    },
  };
}
