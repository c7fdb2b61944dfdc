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

/** The same of a stream of WAV: what follows the header of its chunk `data`. */
export function createWavParser(): (bytes: Uint8Array) => Float32Array {
  const parse = createPcmParser();
  let header: Uint8Array | undefined = new Uint8Array(0);
  return (bytes) => {
    if (header === undefined) return parse(bytes);
    const whole = new Uint8Array(header.length + bytes.length);
    whole.set(header);
    whole.set(bytes, header.length);
    const start = startOfData(whole);
    header = start === undefined ? whole : undefined;
    return parse(whole.subarray(start ?? whole.length));
  };
}

/** Bytes of the RIFF header, and of that of a chunk. */
const [riffBytes, chunkBytes] = [12, 8];

/** Undefined as long as the header is incomplete. */
function startOfData(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = riffBytes; at + chunkBytes <= bytes.length; ) {
    const start = at + chunkBytes;
    if (String.fromCharCode(...bytes.subarray(at, at + 4)) === 'data') return start;
    at = start + view.getUint32(at + 4, true);
  }
  return undefined;
}

export function createPeaks(sampleRate: number) {
  const span = Math.max(1, Math.round(sampleRate / 100));
  const values: number[] = [];
  let filled = 0;
  return {
    /** Loudest sample of each hundredth of a second. */
    values: values as readonly number[],
    append(samples: Float32Array): void {
      for (const sample of samples) {
        const bucket = Math.floor(filled++ / span);
        values[bucket] = Math.max(values[bucket] ?? 0, Math.abs(sample));
      }
    },
  };
}
