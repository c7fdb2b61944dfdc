/** HTTP server of a worker for health probes and statistics, also while the worker waits for its broker. */
import { createServer } from 'node:http';
import type { BrokerWorker } from '../../broker/worker/broker-worker.ts';
import { beginListening } from '../../server/listen.ts';

export type HealthServer = Awaited<ReturnType<typeof openHealthServer>>;

/** `GET /healthz`: 200 while the worker is connected to the broker, else 503. `GET /status`: its report as JSON. */
export async function openHealthServer(
  worker: () => Pick<BrokerWorker, 'report' | 'isReachable'> | undefined,
  { host, port }: { readonly host: string; readonly port: number },
) {
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
      response.end(JSON.stringify(body));
    };
    const path = request.url?.split('?')[0];
    if (request.method !== 'GET') return answer(405, { status: 'method not allowed' });
    if (path === '/status') return answer(200, worker()?.report() ?? { status: 'waiting for the broker' });
    if (path !== '/healthz') return answer(404, { status: 'not found' });
    if (worker()?.isReachable()) return answer(200, { status: 'ok' });
    return answer(503, { status: 'the broker is unreachable' });
  });
  const connections = { total: 64, perAddress: 32 };
  const address = await beginListening(server, { host, port, portOption: '--health-port', connections });
  return {
    port: address.port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
