import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { Request, RequestHandler } from 'express';
import { SvcError } from '../../errors.ts';
import type { ServerSettings } from '../context/settings.ts';
import { allowsOrigin } from '../http/cors-origins.ts';

const loopbackName = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i;
/** Names that the public DNS does not have, so that no web page can have one. */
const privateName = /^([^.:]+|.+\.(local|localdomain|lan|home|home\.arpa|internal|intranet|private|corp|test))\.?$/i;

/**
 * Refuses requests of foreign web pages. A server without an API key trusts everyone who can reach it, and any page open
 * in a browser that reaches it can: with forms and images, which need no CORS permission, or with a host name of its own
 * that resolves to the server (DNS rebinding). Only pages of this server and of the allowed origins are accepted.
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
  const [isOwn, accepted] =
    hosts === 'loopback'
      ? [(name: string) => loopbackName.test(name), 'local host names']
      : [isLocal, 'addresses and names of the local network'];
  return (request, _response, next) => {
    const refuse = (message: string): void => next(new SvcError('FORBIDDEN', message));
    const [host, origin, site] = ['Host', 'Origin', 'Sec-Fetch-Site'].map((name) => request.get(name));
    if (hosts !== 'any' && host !== undefined && !isOwn(withoutPort(host)) && !allowedHosts.includes(host)) {
      return refuse(
        `host ${shown(host)} refused: without an API key, the server accepts ${accepted} only; allow it with ${optionFor(origin, host)}, or set --api-key`,
      );
    }
    const page = origin ?? originOf(request.get('Referer'));
    if (page !== undefined && allowsOrigin(corsOrigins, page)) return next();
    if (site === undefined && origin === undefined && isUnknownPage(request, page)) {
      return refuse(
        'cross-origin request refused: over plain HTTP, the browser does not say which page it is from; send a POST, or set --api-key',
      );
    }
    const isForeign =
      site === undefined ? origin !== undefined && hostOf(origin) !== host : !['same-origin', 'none'].includes(site);
    if (!isForeign) return next();
    const from = origin === undefined ? 'another site' : shown(origin);
    refuse(
      `cross-origin request refused: the page is from ${from}, this server was called as ${shown(host ?? '')}; allow the page with ${optionFor(origin)}`,
    );
  };
}

const isLocal = (name: string): boolean =>
  loopbackName.test(name) ||
  isIP(name.replace(/^\[|\]$/g, '')) !== 0 ||
  privateName.test(name) ||
  name.toLowerCase() === hostname().toLowerCase();

/** Whether an image or a link of some page may have caused it: over plain HTTP, only `Referer` names the page, or nothing. */
const isUnknownPage = ({ method, path, headers }: Request, page: string | undefined): boolean =>
  method === 'GET' &&
  /^\/tts\/?$/i.test(path) &&
  /^Mozilla\//.test(headers['user-agent'] ?? '') &&
  (page === undefined || hostOf(page) !== headers.host);

const hostOf = (origin: string): string | undefined =>
  /^https?:/.test(origin) && URL.canParse(origin) ? new URL(origin).host : undefined;

const originOf = (referer = ''): string | undefined => (URL.canParse(referer) ? new URL(referer).origin : undefined);

const withoutPort = (host: string): string => host.replace(/:\d+$/, '');

const shown = (text: string): string => JSON.stringify(text.slice(0, 100));

/** The option with a value to copy, if the origin or host is known. */
function optionFor(origin: string | undefined, host = ''): string {
  const page = [origin, `http://${host}`].find(
    (text) => text !== undefined && /^[a-z][a-z0-9+.-]*:\/\/[\w.:[\]-]{1,100}$/.test(text),
  );
  return `--cors-origin ${page ?? 'ORIGIN'}`;
}
