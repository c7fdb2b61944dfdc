/** Samples: from the bytes of a stream, to the bytes of a file, and as a picture. */

/** Splits a stream of 16-bit little-endian mono PCM, whose pieces end anywhere, into samples from -1 to 1. */
export function createPcmParser() {
  /** @type {number | undefined} */
  let carried;
  /** @param {Uint8Array} bytes @returns {Float32Array} */
  return (bytes) => {
    const whole = new Uint8Array(bytes.length + (carried === undefined ? 0 : 1));
    if (carried !== undefined) whole[0] = carried;
    whole.set(bytes, whole.length - bytes.length);
    carried = whole.length % 2 === 1 ? whole[whole.length - 1] : undefined;
    const view = new DataView(whole.buffer);
    return Float32Array.from({ length: whole.length >> 1 }, (_, at) => view.getInt16(at * 2, true) / 32_768);
  };
}

/** @param {readonly Float32Array[]} chunks */
export function encodePcm(chunks) {
  const count = chunks.reduce((sum, { length }) => sum + length, 0);
  const view = new DataView(new ArrayBuffer(count * 2));
  let at = 0;
  for (const chunk of chunks) {
    for (const sample of chunk) {
      view.setInt16(at, Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))), true);
      at += 2;
    }
  }
  return view.buffer;
}

/** A mono 16-bit wave file. @param {readonly Float32Array[]} chunks @param {number} sampleRate */
export function encodeWav(chunks, sampleRate) {
  const pcm = encodePcm(chunks);
  const header = new DataView(new ArrayBuffer(44));
  /** @param {number} at @param {string} tag */
  const put = (at, tag) => {
    for (let letter = 0; letter < 4; letter++) header.setUint8(at + letter, tag.charCodeAt(letter));
  };
  put(0, 'RIFF');
  header.setUint32(4, 36 + pcm.byteLength, true);
  put(8, 'WAVE');
  put(12, 'fmt ');
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, sampleRate, true);
  header.setUint32(28, sampleRate * 2, true);
  header.setUint16(32, 2, true);
  header.setUint16(34, 16, true);
  put(36, 'data');
  header.setUint32(40, pcm.byteLength, true);
  return new Blob([header.buffer, pcm], { type: 'audio/wav' });
}

/** Collects the loudest sample of each hundredth of a second. @param {number} sampleRate */
export function createPeaks(sampleRate) {
  const span = Math.max(1, Math.round(sampleRate / 100));
  /** @type {number[]} */
  const peaks = [];
  let filled = 0;
  return {
    /** @type {readonly number[]} */
    values: peaks,
    /** @param {Float32Array} samples */
    append(samples) {
      for (const sample of samples) {
        const bucket = Math.floor(filled++ / span);
        peaks[bucket] = Math.max(peaks[bucket] ?? 0, Math.abs(sample));
      }
    },
  };
}
