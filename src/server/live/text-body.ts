import type { Request, Response } from 'express';
import type { LiveText } from '../../engine/live/live-text.ts';
import { SvcError } from '../../errors.ts';
import { withWesternSigns } from '../../files/decode-bytes.ts';
import { show } from '../../messages.ts';
import { invalid, requestError } from '../../validation.ts';
import { statedEncoding } from '../middleware/charset.ts';

/** Whether the body is a text that is sent while it is written. */
export const isTextWritten = (request: Request): boolean =>
  Boolean(request.is('text/plain')) && /\bchunked\b/i.test(request.get('Transfer-Encoding') ?? '');

export type WrittenText = ReturnType<typeof readTextBody>;

/**
 * The text of a body, as it arrives. Iterating throws INVALID_REQUEST, also for a text without a visible character, and
 * CANCELLED. It can be iterated once; `characters` counts those that have arrived.
 *
 * @param most length in characters
 */
export function readTextBody(request: Request, most: number) {
  let characters = 0;
  let isBlank = true;
  const encoding = statedEncoding(request.get('Content-Type')) ?? 'utf-8';
  const decoder = new TextDecoder(encoding, { fatal: true });

  function decode(bytes?: Uint8Array): string {
    let text: string;
    try {
      text = withWesternSigns(decoder.decode(bytes, { stream: bytes !== undefined }), decoder.encoding);
    } catch {
      throw requestError(`the body is not ${encoding.toUpperCase()}`);
    }
    characters += [...text].length;
    isBlank &&= text.trim() === '';
    return text;
  }

  async function* read(): AsyncGenerator<string, void, undefined> {
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
    const last = decode();
    if (isBlank) throw invalid('a string with at least one visible character', 'input', show(''), { param: 'input' });
    yield last;
  }

  return { text: read() as LiveText, characters: () => characters };
}

const lingerBytes = 1024 * 1024;
const lingerCheckMilliseconds = 50;

/**
 * Reads and discards the rest of a body after an early answer such as an error: a connection that is closed while its
 * client writes is reset, and the client may lose the answer. Then closes the connection if the body has not ended.
 *
 * @param milliseconds how long to read on
 */
export function lingerAfter(response: Response, milliseconds: number): void {
  response.once('finish', () => {
    const request = response.req;
    const { socket } = request;
    if (request.complete || socket.destroyed) return;
    // Node.js discards the bytes; the request has no events for them.
    const [since, before] = [performance.now(), socket.bytesRead];
    const timer = setInterval(() => {
      const isOver = performance.now() - since > milliseconds || socket.bytesRead - before > lingerBytes;
      if (isOver && !request.complete) socket.destroy();
      if (isOver || request.complete || socket.destroyed) clearInterval(timer);
    }, lingerCheckMilliseconds);
  });
}
