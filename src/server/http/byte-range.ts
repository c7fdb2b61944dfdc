/** Parts of a file that a client asks for, as players do (RFC 9110, section 14). */
import type { Response } from 'express';

export interface ByteRange {
  /** Inclusive. */
  readonly start: number;
  readonly end: number;
}

export const wholeFile = (size: number): ByteRange => ({ start: 0, end: size - 1 });

/**
 * Sets the status and headers for a file of this size, or the part of it that a client asks for. Several parts at once are
 * answered with the whole file.
 *
 * @returns the bytes to send; undefined for none, where the answer is sent
 */
export function answerRange(response: Response, size: number): ByteRange | undefined {
  response.set('Accept-Ranges', 'bytes');
  const ranges = response.req.range(size);
  if (ranges === -1) {
    response.status(416).set('Content-Range', `bytes */${size}`).removeHeader('Content-Length');
    response.end();
    return undefined;
  }
  const [range] = Array.isArray(ranges) && ranges.type === 'bytes' && ranges.length === 1 ? ranges : [];
  const { start, end } = range ?? wholeFile(size);
  if (range !== undefined) response.status(206).set('Content-Range', `bytes ${start}-${end}/${size}`);
  response.set('Content-Length', String(end - start + 1));
  return { start, end };
}
