import type { Quantizer } from '../../../export/export-gguf.ts';
import { blockElements } from './values.ts';

/**
 * Quantizes values that repeat after `blockElements`, like the matrices of a synthetic checkpoint, once and copies the
 * result; blocks are quantized independently. Otherwise k-quants of 2 billion weights would take minutes.
 */
export const quantizeOnce =
  (quantize: Quantizer): Quantizer =>
  (type, values, rowLength) => {
    if (values.length <= blockElements) return quantize(type, values, rowLength);
    const period = quantize(type, values.subarray(0, blockElements), blockElements);
    const bytes = new Uint8Array((values.length / blockElements) * period.length);
    for (let at = 0; at < bytes.length; at += period.length) bytes.set(period.subarray(0, bytes.length - at), at);
    return bytes;
  };
