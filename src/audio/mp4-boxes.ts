/** Reads the boxes of MP4 files (ISO/IEC 14496-12), of any origin. */

export const viewOf = ({ buffer, byteOffset, length }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, length);

/**
 * Yields the boxes that follow each other in `bytes`, whose memory they share, each as far as it is there: with its header, and
 * its content alone. Ends at a box with an invalid size.
 */
export function* boxesOf(bytes: Uint8Array) {
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
