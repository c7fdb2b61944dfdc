/** Reads the boxes of MP4 files (ISO/IEC 14496-12), of any origin. */

export interface Mp4Box {
  readonly type: string;
  /** The whole box, as far as it is there. */
  readonly bytes: Uint8Array;
  /** Bytes after its header. */
  readonly content: Uint8Array;
}

export const viewOf = ({ buffer, byteOffset, length }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, length);

/** Yields the boxes that follow each other in `bytes`, whose memory they share. Ends at a box with an invalid size. */
export function* boxesOf(bytes: Uint8Array): Generator<Mp4Box, void, undefined> {
  const view = viewOf(bytes);
  for (let offset = 0; offset + 8 <= bytes.length; ) {
    const stated = view.getUint32(offset);
    const isLong = stated === 1 && offset + 16 <= bytes.length;
    const header = isLong ? 16 : 8;
    const size = isLong ? Number(view.getBigUint64(offset + 8)) : stated === 0 ? bytes.length - offset : stated;
    if (size < header) return;
    const end = Math.min(offset + size, bytes.length);
    const type = String.fromCharCode(...bytes.subarray(offset + 4, offset + 8));
    yield { type, bytes: bytes.subarray(offset, end), content: bytes.subarray(offset + header, end) };
    offset = end;
  }
}
