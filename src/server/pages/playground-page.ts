import { Router } from 'express';
import { builtPage, pageHeaders, sendPage, sendPageFiles } from './web-page.ts';

/** The playground: the page at `/`, its files below `/playground`. It needs no API key: the page asks the user for it. */
export function createPlaygroundPage(folder: string = builtPage('playground')): Router {
  const headers = pageHeaders();
  const router = Router({ strict: true });
  router.get('/', sendPage(folder, headers));
  router.use('/playground', sendPageFiles(folder, headers));
  return router;
}
