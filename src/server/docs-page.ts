/**
 * The API reference at `/docs`: Swagger UI and a frame around it, built by `npm run build` into `dist/docs`. The page
 * loads nothing from other servers.
 */
import { join } from 'node:path';
import express, { Router } from 'express';
import { SvcError } from '../errors.ts';
import { findPackage } from '../package-root.ts';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Icons in the style sheet of Swagger UI.
  "img-src 'self' data:",
  "connect-src 'self'",
  "media-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers: Readonly<Record<string, string>> = {
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
  // Revalidated on each load, so that an update of svc shows at once.
  'Cache-Control': 'no-cache',
};

/** Relative to the package root, since compiled code is in another folder. */
const builtFolder = (): string => join(findPackage().root, 'dist', 'docs');

/**
 * Router for `/docs`. Open without an API key; the page asks the user for it.
 *
 * @throws SvcError from its handlers: INTERNAL when the page was not built
 */
export function createDocsPage(folder: string = builtFolder()): Router {
  const router = Router();
  router.get('/', (request, response, next) => {
    // URLs in the page are relative to the parent folder, so that a proxy may add a prefix.
    if (request.originalUrl.split('?')[0]?.endsWith('/')) return response.redirect('../docs');
    response.set(headers).sendFile('index.html', { root: folder, cacheControl: false }, (cause?: Error) => {
      if (cause === undefined || response.headersSent) return;
      const message = `no page in ${folder}; build it with: npm run build`;
      next(new SvcError('INTERNAL', message, { cause }));
    });
  });
  router.use(
    express.static(folder, { index: false, cacheControl: false, setHeaders: (response) => response.set(headers) }),
  );
  return router;
}
