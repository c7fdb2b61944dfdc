import type { RequestHandler } from 'express';
import { SvcError } from '../../errors.ts';
import { allowsOrigin } from '../cors-origins.ts';
import type { ServerSettings } from '../settings.ts';

const loopbackName = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Refuses requests of foreign web pages. A server without an API key trusts everyone who can reach it, and any page open
 * in a browser on the same machine can: with forms and images, which need no CORS permission, or with a host name of its
 * own that resolves to this machine (DNS rebinding). Only pages of this server and of the allowed origins are accepted.
 * `X-Forwarded-Host` is ignored, since a page can send it too.
 */
export function guardAgainstPages({
  findKey,
  hosts,
  corsOrigins,
}: Pick<ServerSettings, 'findKey' | 'hosts' | 'corsOrigins'>): RequestHandler {
  if (findKey !== undefined || corsOrigins.includes('*')) return (_request, _response, next) => next();
  // A proxy that forwards the Host header uses the host name of the allowed page.
  const allowedHosts = corsOrigins.filter((origin) => /^https?:/.test(origin)).map(hostOf);
  return (request, _response, next) => {
    const [host, origin, site] = ['Host', 'Origin', 'Sec-Fetch-Site'].map((name) => request.get(name));
    if (hosts === 'loopback' && host !== undefined && !loopbackName.test(host) && !allowedHosts.includes(host)) {
      return next(
        new SvcError(
          'FORBIDDEN',
          `host ${shown(host)} refused: without an API key, the server accepts local host names only; allow it with ${optionFor(origin, host)}, or set --api-key`,
        ),
      );
    }
    if (origin !== undefined && allowsOrigin(corsOrigins, origin)) return next();
    const isForeign =
      site === undefined ? origin !== undefined && hostOf(origin) !== host : !['same-origin', 'none'].includes(site);
    if (!isForeign) return next();
    const page = origin === undefined ? 'another site' : shown(origin);
    next(
      new SvcError(
        'FORBIDDEN',
        `cross-origin request refused: the page is from ${page}, this server was called as ${shown(host ?? '')}; allow the page with ${optionFor(origin)}`,
      ),
    );
  };
}

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);

const shown = (text: string): string => JSON.stringify(text.slice(0, 100));

/** The option with a value to copy, if the origin or host is known. */
function optionFor(origin: string | undefined, host = ''): string {
  const page = [origin, `http://${host}`].find(
    (text) => text !== undefined && /^(https?|[a-z-]+-extension):\/\/[\w.:[\]-]{1,100}$/.test(text),
  );
  return `--cors-origin ${page ?? 'ORIGIN'}`;
}
