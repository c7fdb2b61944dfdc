import { Router } from 'express';
import { builtPage, pageHeaders, sendPage, sendPageFiles } from './web-page.ts';

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
