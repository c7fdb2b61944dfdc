import type { Request, RequestHandler } from 'express';
import { SvcError } from '../../errors.ts';
import { type FindKey, keyOf } from '../http/api-keys.ts';
import type { ErrorStyle } from '../http/problem.ts';
import type { RateLimits, RateState } from '../http/rate-limits.ts';

const pass: RequestHandler = (_request, _response, next) => next();

/** The key in the headers of a request. Nowhere else: URLs end up in logs and histories. */
function tokenOf(request: Request, keyHeaders: readonly string[]): string | undefined {
  const [, bearer] = /^Bearer (.+)$/i.exec(request.get('Authorization') ?? '') ?? [];
  return bearer ?? keyHeaders.map((name) => request.get(name)).find((token) => token !== undefined);
}

/** Finds the key of a request, also where none is required. @param keyHeaders in place of `Authorization` */
export function identify(findKey: FindKey | undefined, keyHeaders: readonly string[]): RequestHandler {
  if (findKey === undefined) return pass;
  return (request, response, next) => {
    const token = tokenOf(request, keyHeaders);
    response.locals.hasToken = token !== undefined;
    if (token !== undefined) response.locals.key = findKey(token);
    next();
  };
}

/** Requires a key that `identify` has found. */
export function authorize(findKey: FindKey | undefined): RequestHandler {
  if (findKey === undefined) return pass;
  return (request, response, next) => {
    if (keyOf(response) !== undefined) return next();
    response.set('WWW-Authenticate', 'Bearer');
    const problem = response.locals.hasToken ? 'incorrect API key' : 'missing API key';
    const { keyHeader } = (response.locals.errors ?? {}) as ErrorStyle;
    const isOwn = keyHeader !== undefined && request.get('Authorization') === undefined;
    const header = isOwn ? `${keyHeader}: KEY` : 'Authorization: Bearer KEY';
    next(new SvcError('UNAUTHORIZED', `${problem}; send the header ${header}`));
  };
}

export function authorizeKey(findKey: FindKey | undefined): RequestHandler {
  const authorized = authorize(findKey);
  return (request, response, next) => (response.locals.hasToken ? authorized(request, response, next) : next());
}

/** Response headers about the rate limit: those of the IETF draft, and those that most clients know. */
export const rateHeaders = ['Limit', 'Remaining', 'Reset'].flatMap((name) => [
  `RateLimit-${name}`,
  `X-RateLimit-${name}`,
]);

/** Whether a request was refused, for its own fault or for want of room. */
export const isRefusal = (status: number): boolean => (status >= 400 && status < 499) || status === 503;

/** Counts a request before its body is read, unless it is refused. */
export const limitRate =
  (rates: RateLimits): RequestHandler =>
  (_request, response, next) => {
    const key = keyOf(response);
    const state = key === undefined ? undefined : rates.count(key);
    if (state === undefined) return next();
    const { limit, remaining, resetSeconds, isExceeded } = state;
    response.set({
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': String(remaining),
      'RateLimit-Reset': String(resetSeconds),
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(remaining),
      // A time, as at GitHub.
      'X-RateLimit-Reset': String(Math.ceil(Date.now() / 1000) + resetSeconds),
    });
    if (!isExceeded) {
      response.once('finish', () => {
        if (key !== undefined && isRefusal(response.statusCode)) rates.refund(key);
      });
      return next();
    }
    response.set('Retry-After', String(resetSeconds));
    next(rateProblem(state));
  };

export const rateProblem = ({ limit, resetSeconds }: RateState): SvcError =>
  new SvcError('RATE_LIMITED', `this API key is limited to ${limit} requests per minute; retry in ${resetSeconds} s`);
