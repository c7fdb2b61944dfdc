/** Reads long bodies as text, in small pieces: joining and decoding 35 MiB at once holds the event loop for a tenth of a second. */
import { isAscii } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { bodyTooLarge, gone } from './body-failure.ts';
import { createLongBesideOneString } from './one-long-string.ts';

export interface TextBodyLimits {
  /** Bytes after decompression. */
  readonly bytes: number;
  /** Characters besides the longest string of the JSON text. */
  readonly besideOneString: number;
}

const decompressors = { deflate: createInflate, gzip: createGunzip, br: createBrotliDecompress };

/**
 * Text of a request, whose rest is read before an error is thrown: else its client, which still writes, would see no answer.
 *
 * @param encoding by a label of the Encoding Standard
 * @throws SvcError PAYLOAD_TOO_LARGE as soon as a limit is passed, CANCELLED; an error with the `status` 400 or 415 as of the
 *   body parsers for what cannot be decompressed or decoded
 */
export async function readTextBody(
  request: IncomingMessage,
  encoding: string,
  limits: TextBodyLimits,
): Promise<string> {
  const source = decompressed(request);
  try {
    const parts: string[] = [];
    for await (const part of decoded(source, encoding, limits)) parts.push(part);
    return parts.join('');
  } catch (error) {
    if (source !== request) {
      request.unpipe();
      source.destroy();
    }
    await finished(request.resume()).catch(() => undefined);
    if (!request.complete) throw gone();
    throw asBodyError(error);
  }
}

/** With the status that the body parsers give. */
function asBodyError(error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return Object.assign(new Error('invalid UTF-8', { cause: error }), { status: 400, type: 'entity.verify.failed' });
  }
  return /^(?:Z_|ERR__ERROR_)/.test(code) ? Object.assign(error as Error, { status: 400 }) : error;
}

function decompressed(request: IncomingMessage): Readable {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return request;
  if (!Object.hasOwn(decompressors, encoding)) {
    const problem = new Error(`unsupported content encoding "${encoding}"`);
    throw Object.assign(problem, { status: 415, type: 'encoding.unsupported', encoding });
  }
  const stream = decompressors[encoding as keyof typeof decompressors]();
  // A client that goes away ends no pipe.
  request.once('close', () => request.complete || stream.destroy(gone()));
  return request.pipe(stream);
}

async function* decoded(source: Readable, encoding: string, limits: TextBodyLimits): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: encoding === 'utf-8' });
  const counted = createLongBesideOneString(limits.besideOneString);
  let bytes = 0;
  /** As long as no decoder need remember a part of a character. */
  let isPlain = encoding === 'utf-8';
  for await (const chunk of source.iterator({ destroyOnReturn: false })) {
    const piece = chunk as Buffer;
    bytes += piece.length;
    if (bytes > limits.bytes) throw bodyTooLarge(limits.bytes);
    isPlain &&= isAscii(piece);
    const text = isPlain ? piece.toString('latin1') : decoder.decode(piece, { stream: true });
    if (counted.push(text)) throw bodyTooLarge(limits.besideOneString);
    yield text;
  }
  const rest = decoder.decode();
  if (counted.push(rest) || counted.end()) throw bodyTooLarge(limits.besideOneString);
  yield rest;
}
