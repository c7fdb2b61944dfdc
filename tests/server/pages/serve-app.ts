import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from '@jest/globals';
import type express from 'express';
import type { SvcError } from '../../../src/errors.ts';

export interface ServedApp extends Disposable {
  readonly url: string;
  readonly port: number;
}

/** Serves it for all tests of the file; returns its URL. */
export async function shareApp(app: express.Express): Promise<string> {
  const served = await serveApp(app);
  afterAll(() => served[Symbol.dispose]());
  return served.url;
}

/** Serves an app whose errors are answered with their status and message. */
export async function serveApp(app: express.Express): Promise<ServedApp> {
  app.use(
    ((error: SvcError, _request, response, _next) =>
      void response.status(error.status ?? 500).send(error.message)) as express.ErrorRequestHandler,
  );
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
