import type { RequestHandler } from 'express';
import { SvcError } from '../../errors.ts';
import type { ServerSettings } from '../settings.ts';

const loopbackName = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * A server without a key trusts whoever reaches it. Any web page that is open on the same machine does: by forms and
 * images, which need no permission of ours, or by a name of its own that it lets point here (DNS rebinding). So
 * browsers are answered only for pages of this server and of the allowed origins.
 */
export function guardAgainstPages({
  apiKey,
  hosts,
  corsOrigins,
}: Pick<ServerSettings, 'apiKey' | 'hosts' | 'corsOrigins'>): RequestHandler {
  return (request, _response, next) => {
    if (apiKey !== undefined) return next();
    const [host, origin, site] = ['Host', 'Origin', 'Sec-Fetch-Site'].map((name) => request.get(name));
    if (hosts === 'loopback' && host !== undefined && !loopbackName.test(host)) {
      const received = JSON.stringify(host.slice(0, 100));
      return next(
        new SvcError(
          'FORBIDDEN',
          `expected a loopback name for the host of a server without a key, received ${received}`,
        ),
      );
    }
    if (origin !== undefined && corsOrigins.includes(origin)) return next();
    const isForeign =
      site === undefined ? origin !== undefined && hostOf(origin) !== host : !['same-origin', 'none'].includes(site);
    if (!isForeign) return next();
    next(new SvcError('FORBIDDEN', 'expected a page of this server for a request of a browser, received another'));
  };
}

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);
