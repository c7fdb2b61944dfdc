/** Names the charset of a body as the body parsers know it. */
import type { RequestHandler } from 'express';
import { attempt } from '../../errors.ts';

/** Quoted in any way, as clients do. */
const parameter = /(;\s*charset\s*=\s*)(?:["']\s{0,9})?([^\s"';,]+)\s{0,9}["']?,?/i;

const encodingNamed = (label: string): string | undefined => attempt(() => new TextDecoder(label).encoding);

/**
 * The encoding that a content type states by any label of the [Encoding Standard](https://encoding.spec.whatwg.org/#names-and-labels),
 * such as `utf8` or `us-ascii`, in lower case.
 *
 * @returns undefined if it states none, or an unknown one
 */
export function statedEncoding(contentType = ''): string | undefined {
  const label = parameter.exec(contentType)?.[2];
  // Some write `utf_8`, as Python names it.
  return label === undefined ? undefined : (encodingNamed(label) ?? encodingNamed(label.replaceAll('_', '-')));
}

/**
 * The encoding of a text, UTF-8 unless it states another. @throws an error with the `status` 415, as of the body parsers, for
 * an unknown one
 */
export function encodingOf(contentType = ''): string {
  const charset = parameter.exec(contentType)?.[2];
  const encoding = charset === undefined ? 'utf-8' : statedEncoding(contentType);
  if (encoding !== undefined) return encoding;
  throw Object.assign(new Error('unsupported charset'), { status: 415, type: 'charset.unsupported', charset });
}

/** Replaces the label by the name of the encoding, as the parsers know few labels. @param nameOf for one that has other names */
export const nameCharset =
  (nameOf: (encoding: string) => string = (encoding) => encoding): RequestHandler =>
  (request, _response, next) => {
    const { headers } = request;
    const encoding = statedEncoding(headers['content-type']);
    if (encoding !== undefined) {
      headers['content-type'] = headers['content-type']?.replace(parameter, (_, start) => start + nameOf(encoding));
    }
    next();
  };
