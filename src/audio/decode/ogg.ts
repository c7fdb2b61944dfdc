/** Reads the codec, the complete pages and the length of an Ogg file (RFC 3533). */

export type OggCodec = 'flac' | 'opus' | 'vorbis';

const headerBytes = 27;
/** Offset of the 64-bit number of samples up to the end of a page. */
const granuleOffset = 6;

const identifications: readonly (readonly [string, OggCodec])[] = [
  ['OpusHead', 'opus'],
  ['\x01vorbis', 'vorbis'],
  ['\x7fFLAC', 'flac'],
];

/** The codec, from the first packet after the header and segment table of the first page. */
export function codecOfOgg(bytes: Uint8Array): OggCodec | undefined {
  const start = headerBytes + (bytes[headerBytes - 1] ?? 0);
  const packet = String.fromCharCode(...bytes.subarray(start, start + 8));
  return identifications.find(([text]) => packet.startsWith(text))?.[1];
}

/** The leading complete pages, as decoders invent audio for a truncated one. */
export function wholePages(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, readPages(bytes).end);
}

/** Samples per channel up to the end of the last page with a count; 0 if there is none. */
export const lastGranule = (bytes: Uint8Array): number => readPages(bytes).granule;

function readPages(bytes: Uint8Array): { readonly end: number; readonly granule: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let end = 0;
  let granule = 0n;
  while (end + headerBytes <= bytes.length) {
    if (String.fromCharCode(...bytes.subarray(end, end + 4)) !== 'OggS') break;
    const segments = bytes[end + headerBytes - 1] as number;
    const table = bytes.subarray(end + headerBytes, end + headerBytes + segments);
    const next = end + headerBytes + segments + table.reduce((sum, length) => sum + length, 0);
    if (table.length < segments || next > bytes.length) break;
    // Negative if no packet ends on the page.
    const stated = view.getBigInt64(end + granuleOffset, true);
    if (stated >= 0n) granule = stated;
    end = next;
  }
  return { end, granule: Number(granule) };
}
