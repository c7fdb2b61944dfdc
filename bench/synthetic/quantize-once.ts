import type { Quantizer } from '../../export/export-gguf.ts';
import { blockElements } from './values.ts';

/**
 * A quantiser for values that repeat after `blockElements`, as the matrices of a synthetic checkpoint do: they are
 * quantised once and copied, since blocks of a type know nothing of one another. K-quants of 2 billion weights would
 * take minutes otherwise.
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
