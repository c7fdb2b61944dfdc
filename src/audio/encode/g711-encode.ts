/** Encodes raw 8-bit samples of telephony (ITU-T G.711). */
import alawmulaw from 'alawmulaw';
import type { Encoded, Transform } from '../transform.ts';
import { encodePcm } from './wav-encode.ts';

/** μ-law (North America, Japan) and A-law (elsewhere). */
export const g711Laws = ['ulaw', 'alaw'] as const;
export type G711Law = (typeof g711Laws)[number];

const codecs = { ulaw: alawmulaw.mulaw, alaw: alawmulaw.alaw } as const;

export const createG711Encoder = (law: G711Law): Transform<Float32Array, Encoded> => ({
  push(samples) {
    const pcm = encodePcm(samples);
    return [{ bytes: codecs[law].encode(new Int16Array(pcm.buffer, pcm.byteOffset, samples.length)) }];
  },
  flush: () => [],
  close: () => undefined,
});
