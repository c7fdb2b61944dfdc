/** Requests to the hub: who gets the token, how redirects are followed, and what each refusal means to a user. */
import { SvcError } from '../errors.ts';

export interface HubConnection {
  /** Such as `https://huggingface.co`, without a slash at its end; may have a path. */
  readonly endpoint: string;
  readonly token?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HubRequestOptions extends RequestInit {
  /**
   * Gets the hub's own ETag of a file, the hash of its content, before a redirect to a content network is followed;
   * what it throws ends the request.
   */
  readonly onEtag?: ((etag: string) => void) | undefined;
}

/** Resolves to an answer of a status from 200 to 299. */
export type HubRequest = (url: string, subject: string, options?: HubRequestOptions) => Promise<Response>;

/** What `cause` of a NETWORK error tells about trying again. */
export interface Refusal {
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  /** The same request will fail in the same way: nobody listens there, or the answer is wrong. */
  readonly permanent?: boolean;
  readonly error?: unknown;
}

const mostRedirects = 8;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Requests that carry the token to the endpoint only: a content network that the hub redirects to never sees it.
 * Errors name `subject`, never an address: addresses of content networks are signed.
 */
export function createHubRequest({ endpoint, token, signal }: HubConnection): HubRequest {
  const home = new URL(endpoint).origin;
  return async (url, subject, { onEtag, ...init } = {}) => {
    let target = new URL(url);
    for (let hop = 0; hop <= mostRedirects; hop += 1) {
      const isHome = target.origin === home;
      const headers = new Headers(init.headers);
      headers.set('user-agent', 'svc');
      if (isHome && token !== undefined) headers.set('authorization', `Bearer ${token}`);
      const response = await send(target, { ...init, headers, signal: init.signal ?? signal ?? null }, subject);
      const location = redirects.has(response.status) ? response.headers.get('location') : null;
      if (location === null && !response.ok) {
        await response.body?.cancel();
        throw refused(response, subject, isHome, token !== undefined);
      }
      const etag = response.headers.get('x-linked-etag') ?? response.headers.get('etag');
      if (isHome && etag !== null) onEtag?.(etag);
      if (location === null) return response;
      await response.body?.cancel();
      target = redirectTarget(location, target, subject);
    }
    throw broken(`expected at most ${mostRedirects} redirects for ${subject}, received more`, { permanent: true });
  };
}

/** @param cause what it tells about trying again */
export const broken = (message: string, cause: Refusal): SvcError => new SvcError('NETWORK', message, { cause });

function redirectTarget(location: string, base: URL, subject: string): URL {
  const target = URL.canParse(location, base.href) ? new URL(location, base) : undefined;
  if (target !== undefined && /^https?:$/.test(target.protocol)) return target;
  throw broken(`expected a redirect to an http address for ${subject}, received another`, { permanent: true });
}

async function send(target: URL, init: RequestInit, subject: string): Promise<Response> {
  try {
    return await fetch(target.href, { ...init, redirect: 'manual' });
  } catch (error) {
    throw unreachable(error, target.origin, subject, init.signal);
  }
}

/** Nobody listens there under that name; later attempts are for connections that worked before. */
const permanentCodes = /^(ENOTFOUND|ECONNREFUSED|ERR_TLS_.*|CERT_.*|.*_CERT.*|ERR_SSL_.*)$/;

/** An error of `fetch`, or of a body being read, as a NETWORK error; an abort stays what it is. */
export function unreachable(
  error: unknown,
  origin: string,
  subject: string,
  signal: AbortSignal | null | undefined,
): unknown {
  if (error instanceof SvcError) return error;
  if (signal?.aborted) return signal.reason;
  const { message, cause } = error as Error;
  const { code, message: reason } = (cause ?? error) as NodeJS.ErrnoException;
  const received = code ?? reason ?? message;
  return broken(`expected an answer from ${origin} for ${subject}, received ${received}`, {
    permanent: code !== undefined && permanentCodes.test(code),
    error,
  });
}

function refused(response: Response, subject: string, isHome: boolean, hasToken: boolean): SvcError {
  const { status, headers } = response;
  const reason = headers.get('x-error-code');
  const tokenRemedy = hasToken ? 'check that the token in HF_TOKEN may read it' : 'set HF_TOKEN to a token of yours';
  const refusal = (code: 'UNAUTHORIZED' | 'FORBIDDEN' | 'MODEL_NOT_FOUND', received: string) =>
    new SvcError(code, `expected access to ${subject}, received ${received}`, { cause: { status } satisfies Refusal });
  if (isHome) {
    if (reason === 'GatedRepo') {
      return refusal(
        'FORBIDDEN',
        `${status}: its owner asks for consent, give it on the model's page and ${tokenRemedy}`,
      );
    }
    // Without a token the hub answers 401 for what does not exist, so as not to tell what exists.
    if (reason === 'RepoNotFound' && status === 401) {
      return refusal(
        'MODEL_NOT_FOUND',
        `${status}: there is none, or it is private: check the name, or ${tokenRemedy}`,
      );
    }
    if (status === 401) return refusal('UNAUTHORIZED', `${status}: ${tokenRemedy}`);
    if (status === 403) return refusal('FORBIDDEN', `${status}: ${tokenRemedy}`);
    if (status === 404) {
      const missing = reason === 'RevisionNotFound' ? 'no such revision' : 'there is none';
      return refusal('MODEL_NOT_FOUND', `${status}: ${missing}`);
    }
  }
  const retryAfterSeconds = Number(headers.get('retry-after') ?? Number.NaN);
  // A content network answers 403 to an address whose signature has run out; the hub signs a new one.
  const permanent = isHome && status < 500 && status !== 408 && status !== 429 && status !== 416;
  return broken(`expected an answer for ${subject}, received status ${status}`, {
    status,
    permanent,
    ...(Number.isFinite(retryAfterSeconds) ? { retryAfterSeconds } : {}),
  });
}
