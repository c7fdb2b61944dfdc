/** A TCP proxy whose network can fall silent, as when a switch between two machines fails: nothing arrives, nothing is closed. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SplittableProxy extends AsyncDisposable {
  readonly port: number;
  /** Nothing passes any more; new connections are accepted and stay silent. */
  split(): void;
  /** Passes new connections on, and drops those of before. */
  heal(): void;
}

export async function startProxy(target: number): Promise<SplittableProxy> {
  const sockets = new Set<Socket>();
  let isSplit = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((incoming) => {
    keep(incoming);
    if (isSplit) return;
    const outgoing = keep(connect(target, '127.0.0.1'));
    incoming.pipe(outgoing).pipe(incoming);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    split() {
      isSplit = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    heal() {
      isSplit = false;
      destroyAll();
    },
    async [Symbol.asyncDispose]() {
      destroyAll();
      server.close();
      await once(server, 'close');
    },
  };
}
