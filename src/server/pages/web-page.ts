/** The web pages as `npm run build` made them in `dist/web`. They load nothing but this server's own files. */
import { join } from 'node:path';
import express, { type RequestHandler, type Response, Router } from 'express';
import { SvcError } from '../../errors.ts';
import { untilNothingArrives } from '../../event-loop.ts';
import { findPackage } from '../../package/package-root.ts';

/** Compiled code is elsewhere, so the folder is found from the root of the package. */
export const builtPage = (name: 'playground' | 'local' | 'docs'): string =>
  join(findPackage().root, 'dist', 'web', name);

type Policy = Readonly<Record<string, string>>;

/** This origin only, nothing inline. Blobs are audio that the user listens to. */
const basePolicy: Policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
  'media-src': "'self' blob:",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
};

export function pageHeaders(policy: Policy = {}): Readonly<Record<string, string>> {
  const directives = Object.entries({ ...basePolicy, ...policy });
  return {
    'Content-Security-Policy': directives.map(([name, value]) => `${name} ${value}`).join('; '),
    'Permissions-Policy': 'microphone=(self)',
    // Over plain HTTP, nothing else shows that a `GET` is of the server's own page.
    'Referrer-Policy': 'same-origin',
    // Revalidated each time, so that a new version of svc is seen at once.
    'Cache-Control': 'no-cache',
  };
}

export const sendPage =
  (folder: string, headers: Readonly<Record<string, string>>): RequestHandler =>
  (_request, response, next) => {
    response.set(headers).sendFile('index.html', { root: folder, cacheControl: false }, (cause?: Error) => {
      if (cause === undefined || response.headersSent) return;
      const { code } = cause as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') next(cause);
      else next(new SvcError('INTERNAL', `no page in ${folder}; build it with: npm run build`, { cause }));
    });
  };

/** Sends the files that the page loads, after requests that have just come: a file takes dozens of turns. */
export function sendPageFiles(folder: string, headers: Readonly<Record<string, string>>): RequestHandler {
  const send = express.static(folder, {
    index: false,
    redirect: false,
    cacheControl: false,
    setHeaders: (response: Response) => response.set(headers),
  });
  return async (request, response, next) => {
    await untilNothingArrives();
    await send(request, response, next);
  };
}

/** The playground: the page at `/`, its files below `/playground`. It needs no API key: the page asks the user for it. */
export function createPlaygroundPage(folder: string = builtPage('playground')): Router {
  const headers = pageHeaders();
  const router = Router({ strict: true });
  router.get('/', sendPage(folder, headers));
  router.use('/playground', sendPageFiles(folder, headers));
  return router;
}

/** The API reference at `/docs`: Swagger UI. It needs no API key: the page asks the user for it. */
export function createDocsPage(folder: string = builtPage('docs')): Router {
  // Icons are data within the style sheet of Swagger UI.
  const headers = pageHeaders({ 'img-src': "'self' data:", 'form-action': "'none'" });
  const router = Router();
  router.get('/', (request, response, next) => {
    // URLs in the page are relative to the folder above it, so that a proxy may add a prefix.
    if (request.originalUrl.split('?')[0]?.endsWith('/')) response.redirect('../docs');
    else next();
  });
  router.get('/', sendPage(folder, headers));
  router.use(sendPageFiles(folder, headers));
  return router;
}
