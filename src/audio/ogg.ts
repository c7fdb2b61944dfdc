/** As much of Ogg (RFC 3533) as tells the codec, the end of what is whole, and how long it is. */

export type OggCodec = 'flac' | 'opus' | 'vorbis';

const headerBytes = 27;
/** Where a page states the samples up to its end, as 64 bits. */
const granuleOffset = 6;

const identifications: readonly (readonly [string, OggCodec])[] = [
  ['OpusHead', 'opus'],
  ['\x01vorbis', 'vorbis'],
  ['\x7fFLAC', 'flac'],
];

/** The first packet begins within the first page, behind its header and its segment table. */
export function codecOfOgg(bytes: Uint8Array): OggCodec | undefined {
  const start = headerBytes + (bytes[headerBytes - 1] ?? 0);
  const packet = String.fromCharCode(...bytes.subarray(start, start + 8));
  return identifications.find(([text]) => packet.startsWith(text))?.[1];
}

/** The pages from the start that are complete: decoders make up audio for one that breaks off. */
export function wholePages(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, readPages(bytes).end);
}

/** Samples of a channel up to the end of the last page that states them; 0 when none does. */
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
    // Below zero where no packet ends on the page.
    const stated = view.getBigInt64(end + granuleOffset, true);
    if (stated >= 0n) granule = stated;
    end = next;
  }
  return { end, granule: Number(granule) };
}
