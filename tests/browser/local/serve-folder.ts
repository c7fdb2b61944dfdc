import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';

export interface FolderServer extends AsyncDisposable {
  /** Ends with a slash. */
  readonly url: string;
}

/** A static host; `isolated` also sends the headers that allow threads. */
export async function serveFolder(folder: string, host: 'isolated' | 'simple' = 'isolated'): Promise<FolderServer> {
  const app = express();
  app.use((_request, response, next) => {
    if (host === 'isolated') {
      response.set({ 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' });
    }
    next();
  });
  app.use(express.static(folder));
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
