/** Encodes raw 8-bit samples of telephony (ITU-T G.711). */
import alawmulaw from 'alawmulaw';
import { rawEncoder, toInt16 } from './wav-encode.ts';

/** μ-law (North America, Japan) and A-law (elsewhere). */
export const g711Laws = ['ulaw', 'alaw'] as const;
export type G711Law = (typeof g711Laws)[number];

const codecs = { ulaw: alawmulaw.mulaw, alaw: alawmulaw.alaw } as const;

export const createG711Encoder = (law: G711Law) => rawEncoder((samples) => codecs[law].encode(toInt16(samples)));
