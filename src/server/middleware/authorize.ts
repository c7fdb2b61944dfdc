import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { SvcError } from '../../errors.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Requires the API key. Digests are compared in constant time, which reveals nothing about the key. */
export function authorize(apiKey: string | undefined): RequestHandler {
  if (apiKey === undefined) return (_request, _response, next) => next();
  const expected = digest(apiKey);
  return (request, response, next) => {
    const [, token] = /^Bearer (.+)$/i.exec(request.get('Authorization') ?? '') ?? [];
    if (token !== undefined && timingSafeEqual(digest(token), expected)) return next();
    response.set('WWW-Authenticate', 'Bearer');
    const problem = token === undefined ? 'missing API key' : 'incorrect API key';
    next(new SvcError('UNAUTHORIZED', `${problem}; send the header Authorization: Bearer KEY`));
  };
}
