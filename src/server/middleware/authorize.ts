import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { SvcError } from '../../errors.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Digests are compared, in constant time: neither the length of the key nor how much of a guess is right shows. */
export function authorize(apiKey: string | undefined): RequestHandler {
  if (apiKey === undefined) return (_request, _response, next) => next();
  const expected = digest(apiKey);
  return (request, response, next) => {
    const [, token] = /^Bearer (.+)$/i.exec(request.get('Authorization') ?? '') ?? [];
    if (token !== undefined && timingSafeEqual(digest(token), expected)) return next();
    response.set('WWW-Authenticate', 'Bearer');
    const received = token === undefined ? 'none' : 'another one';
    next(new SvcError('UNAUTHORIZED', `expected the API key as a bearer token for this address, received ${received}`));
  };
}
