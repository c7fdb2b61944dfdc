/**
 * The OpenAPI document for people, at `/docs`: what `npm run build` put into `dist/docs`, Swagger UI and a frame around it.
 * The page asks for nothing but this server's own files.
 */
import { join } from 'node:path';
import express, { Router } from 'express';
import { SvcError } from '../errors.ts';
import { findPackage } from '../package-root.ts';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Icons within the style sheet of Swagger UI.
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
  // Asked for again each time, so that a new version of svc is seen at once.
  'Cache-Control': 'no-cache',
};

/** Compiled code lies elsewhere, so the files are found from the root of the package. */
const builtFolder = (): string => join(findPackage().root, 'dist', 'docs');

/**
 * A router for `/docs`. It needs no API key: the page asks the user for it.
 *
 * @throws SvcError from its handlers: INTERNAL for a page that was never built
 */
export function createDocsPage(folder: string = builtFolder()): Router {
  const router = Router();
  router.get('/', (request, response, next) => {
    // Addresses in the page are relative to the folder above it, so that a proxy may add a prefix.
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
