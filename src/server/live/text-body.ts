import type { Request } from 'express';
import { SvcError } from '../../errors.ts';
import { requestError } from '../../validation.ts';

/** Whether the body is a text that is sent while it is written. */
export const isTextWritten = (request: Request): boolean =>
  Boolean(request.is('text/plain')) && /\bchunked\b/i.test(request.get('Transfer-Encoding') ?? '');

/**
 * The text of a body, as it arrives.
 *
 * @param most length in characters
 * @throws SvcError INVALID_REQUEST, CANCELLED
 */
export async function* readTextBody(request: Request, most: number): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw requestError('the body is not UTF-8');
    }
  };
  let length = 0;
  try {
    // The connection is still needed for an error.
    for await (const bytes of request.iterator({ destroyOnReturn: false })) {
      const text = decode(bytes);
      length += text.length;
      if (length > most) throw requestError(`the text is longer than the limit of ${most} characters`);
      yield text;
    }
  } catch (error) {
    throw error instanceof SvcError ? error : new SvcError('CANCELLED', 'the client disconnected', { cause: error });
  }
  yield decode();
}
