import express from 'express';
import { type Listening, listen } from '../../support/listen.ts';

/** A static host; `isolated` also sends the headers that allow threads. */
export async function serveFolder(folder: string, host: 'isolated' | 'simple' = 'isolated'): Promise<Listening> {
  const app = express();
  app.use((_request, response, next) => {
    if (host === 'isolated') {
      response.set({ 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' });
    }
    next();
  });
  app.use(express.static(folder));
  return listen(app);
}
