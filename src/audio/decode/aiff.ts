/** Decodes AIFF and AIFF-C of PCM, float or G.711, trusting no header (Apple's specifications of 1989 and 1991). */
import type { Audio } from '../audio.ts';
import { type DecodeLimits, unsupported } from './decode-limits.ts';
import { decodeSamples, type SampleCoding, type StoredSamples, textAt } from './pcm-samples.ts';

/** Decodes the complete frames of a truncated file too. @throws SvcError UNSUPPORTED_AUDIO, PAYLOAD_TOO_LARGE */
export function decodeAiff(bytes: Uint8Array, limits: DecodeLimits): Audio {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let common: DataView | undefined;
  let sound: Uint8Array | undefined;
  for (let offset = 12; offset + 8 <= bytes.length && (common === undefined || sound === undefined); ) {
    const id = textAt(view, offset);
    const begin = offset + 8;
    const size = view.getUint32(offset + 4);
    // Writers that can't seek leave no size.
    const end = id === 'SSND' && size === 0 ? bytes.length : Math.min(begin + size, bytes.length);
    if (id === 'COMM') common ??= new DataView(view.buffer, view.byteOffset + begin, end - begin);
    if (id === 'SSND') sound ??= soundOf(bytes.subarray(begin, end));
    offset = end + (size % 2);
  }
  if (common === undefined) throw unsupported('the AIFF file has no COMM chunk');
  if (sound === undefined) throw unsupported('the AIFF file has no sound');
  return decodeSamples(sound, formatOf(common, textAt(view, 8) === 'AIFC'), limits);
}

/** The samples of an `SSND` chunk, after the offset that it states. */
function soundOf(chunk: Uint8Array): Uint8Array {
  if (chunk.length < 8) return chunk.subarray(chunk.length);
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
  return chunk.subarray(8 + view.getUint32(0));
}

type Coding = Pick<StoredSamples, 'coding' | 'order'> & { readonly bits?: number };

const big = (coding: SampleCoding, bits?: number): Coding =>
  bits === undefined ? { coding, order: 'big' } : { coding, order: 'big', bits };

/** Codings by compression type; without their own sample size, that of the file. */
const codings: Readonly<Record<string, Coding>> = {
  NONE: big('integer'),
  twos: big('integer'),
  in24: big('integer', 24),
  in32: big('integer', 32),
  sowt: { coding: 'integer', order: 'little' },
  'raw ': big('unsigned'),
  fl32: big('float', 32),
  FL32: big('float', 32),
  fl64: big('float', 64),
  FL64: big('float', 64),
  alaw: big('A-law', 8),
  ALAW: big('A-law', 8),
  ulaw: big('µ-law', 8),
  ULAW: big('µ-law', 8),
};

/** Length of `COMM` in AIFF; in AIFF-C, the compression type follows. */
const commonBytes = 18;

function formatOf(common: DataView, isCompressed: boolean): StoredSamples {
  if (common.byteLength < commonBytes + (isCompressed ? 4 : 0))
    throw unsupported('the AIFF file has a broken COMM chunk');
  const type = isCompressed ? textAt(common, commonBytes) : 'NONE';
  const known = Object.hasOwn(codings, type) ? codings[type] : undefined;
  if (known === undefined)
    throw unsupported(
      `the AIFF file has the unsupported compression ${JSON.stringify(type)}; use PCM, float, A-law or µ-law`,
    );
  return {
    file: 'AIFF file',
    channels: common.getUint16(0),
    sampleRate: extendedAt(common, 8),
    bits: Math.ceil(common.getUint16(6) / 8) * 8,
    ...known,
  };
}

/** An 80-bit float: sign, 15 bits of exponent, 64 bits of mantissa with its integer bit. */
function extendedAt(view: DataView, offset: number): number {
  const exponent = (view.getUint16(offset) & 0x7fff) - 16_383 - 63;
  const sign = view.getUint16(offset) & 0x8000 ? -1 : 1;
  return sign * Number(view.getBigUint64(offset + 2)) * 2 ** exponent;
}
