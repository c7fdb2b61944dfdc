/** Requests to a model hub: token, redirects and error messages. */
import { SvcError } from '../errors.ts';
import { connectionReason } from '../network-errors.ts';
import { type HubName, hubs } from './hubs.ts';

export interface HubConnection {
  readonly hub: HubName;
  /** Such as `https://huggingface.co`, without a trailing slash; may include a path. */
  readonly endpoint: string;
  readonly token?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HubRequestOptions extends RequestInit {
  /** Called with the ETag, the hash of the content, before a redirect to a CDN; an exception ends the request. */
  readonly onEtag?: ((etag: string) => void) | undefined;
}

/** Resolves to a response with a status from 200 to 299. */
export type HubRequest = (url: string, subject: string, options?: HubRequestOptions) => Promise<Response>;

/** The `cause` of a NETWORK error, for retries. */
export interface Refusal {
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  /** Retrying is pointless: no server is listening, or the response is wrong. */
  readonly permanent?: boolean;
  readonly error?: unknown;
}

const maxRedirects = 8;
const redirects = new Set([301, 302, 303, 307, 308]);

/** Sends the token only to the endpoint, never to a CDN. Errors name `subject`, never a URL, as CDN URLs are signed. */
export function createHubRequest({ hub, endpoint, token, signal }: HubConnection): HubRequest {
  const home = new URL(endpoint).origin;
  return async (url, subject, { onEtag, ...init } = {}) => {
    let target = new URL(url);
    for (let hop = 0; hop <= maxRedirects; hop += 1) {
      const isHome = target.origin === home;
      const headers = new Headers(init.headers);
      headers.set('user-agent', 'svc');
      if (isHome && token !== undefined) authorize(headers, hub, token);
      const response = await send(hub, target, { ...init, headers, signal: init.signal ?? signal ?? null }, subject);
      const location = redirects.has(response.status) ? response.headers.get('location') : null;
      if (location === null && !response.ok) {
        await response.body?.cancel();
        throw refused(response, subject, { hub, isHome, hasToken: token !== undefined });
      }
      const etag = response.headers.get('x-linked-etag') ?? response.headers.get('etag');
      if (isHome && etag !== null) onEtag?.(etag);
      if (location === null) return response;
      await response.body?.cancel();
      target = redirectTarget(location, target, subject);
    }
    throw broken(`too many redirects for ${subject} (limit: ${maxRedirects})`, { permanent: true });
  };
}

/** ModelScope's older endpoints read a cookie in place of the header; its own client sends both. */
function authorize(headers: Headers, hub: HubName, token: string): void {
  headers.set('authorization', `Bearer ${token}`);
  if (hub === 'modelscope') headers.set('cookie', `m_session_id=${token}`);
}

export const broken = (message: string, cause: Refusal): SvcError => new SvcError('NETWORK', message, { cause });

function redirectTarget(location: string, base: URL, subject: string): URL {
  const target = URL.canParse(location, base.href) ? new URL(location, base) : undefined;
  if (target !== undefined && /^https?:$/.test(target.protocol)) return target;
  throw broken(`invalid redirect for ${subject}`, { permanent: true });
}

async function send(hub: HubName, target: URL, init: RequestInit, subject: string): Promise<Response> {
  try {
    return await fetch(target.href, { ...init, redirect: 'manual' });
  } catch (error) {
    throw unreachable(error, { hub, origin: target.origin, subject, signal: init.signal });
  }
}

/** The host is wrong or not listening; retried only if the connection worked before. */
const permanentCodes = /^(ENOTFOUND|ECONNREFUSED|ERR_TLS_.*|CERT_.*|.*_CERT.*|ERR_SSL_.*)$/;

interface Attempt {
  readonly hub: HubName;
  readonly origin: string;
  readonly subject: string;
  readonly signal: AbortSignal | null | undefined;
}

/** Converts an error of `fetch` or of reading a body to a NETWORK error; an abort stays unchanged. */
export function unreachable(error: unknown, { hub, origin, subject, signal }: Attempt): unknown {
  if (error instanceof SvcError) return error;
  if (signal?.aborted) return signal.reason;
  const { message, cause } = error as Error;
  const { code, message: reason } = (cause ?? error) as NodeJS.ErrnoException;
  const permanent = code !== undefined && permanentCodes.test(code);
  const remedy = permanent
    ? `; check the network, proxy settings and ${hubs[hub].endpointVariable}, or give a local path`
    : '';
  const problem = connectionReason(code) ?? code ?? reason ?? message;
  return broken(`cannot reach ${new URL(origin).host} for ${subject}: ${problem}${remedy}`, { permanent, error });
}

function refused(
  response: Response,
  subject: string,
  { hub, isHome, hasToken }: { readonly hub: HubName; readonly isHome: boolean; readonly hasToken: boolean },
): SvcError {
  const { status, headers } = response;
  const reason = headers.get('x-error-code');
  const variable = hubs[hub].tokenVariable;
  const tokenRemedy = hasToken
    ? `check that the token in ${variable} may read it`
    : `set ${variable} to your access token`;
  const refusal = (code: 'UNAUTHORIZED' | 'FORBIDDEN' | 'MODEL_NOT_FOUND', problem: string) =>
    new SvcError(code, `${subject}: ${problem}`, { cause: { status } satisfies Refusal });
  if (isHome) {
    if (reason === 'GatedRepo')
      return refusal('FORBIDDEN', `access is gated; accept its terms on the model page and ${tokenRemedy}`);
    // Without a token, the Hub answers 401 for a missing repository, so as not to reveal which ones exist.
    if (reason === 'RepoNotFound' && status === 401)
      return refusal('MODEL_NOT_FOUND', `no such repository, or it is private; check the name, or ${tokenRemedy}`);
    if (status === 401) return refusal('UNAUTHORIZED', `access denied (status 401); ${tokenRemedy}`);
    if (status === 403) return refusal('FORBIDDEN', `access denied (status 403); ${tokenRemedy}`);
    if (status === 404 && hub === 'modelscope')
      return refusal('MODEL_NOT_FOUND', `not found, or it is private; check the name, or ${tokenRemedy}`);
    if (status === 404)
      return refusal('MODEL_NOT_FOUND', reason === 'RevisionNotFound' ? 'no such revision' : 'not found');
  }
  const retryAfterSeconds = Number(headers.get('retry-after') ?? Number.NaN);
  // A CDN answers 403 to an expired URL; the Hub signs a new one.
  const permanent = isHome && status < 500 && status !== 408 && status !== 429 && status !== 416;
  return broken(`the request for ${subject} failed with status ${status}`, {
    status,
    permanent,
    ...(Number.isFinite(retryAfterSeconds) ? { retryAfterSeconds } : {}),
  });
}
