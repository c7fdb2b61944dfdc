/** Bounds on the connections of a server: a client that holds many must not shut out the others. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Connections at once: each costs memory, and files of the process are counted. */
  readonly total: number;
  /** Connections from one address. High, since a reverse proxy brings all its clients from one. */
  readonly perAddress: number;
}

export const defaultConnectionLimits: ConnectionLimits = { total: 1024, perAddress: 512 };

/**
 * Beyond a limit, the connection that has been without a request for the longest time is closed, so that a new one is
 * always served; the new one is closed only when all others have requests.
 *
 * @example limitConnections(server, { total: 1024, perAddress: 512 });
 */
export function limitConnections(server: Server, { total, perAddress }: ConnectionLimits): void {
  /** Address and running requests of each connection; those without requests in the order in which they became so. */
  const open = new Map<Socket, { readonly address: string; requests: number }>();

  const count = (address: string): number => {
    let connections = 0;
    for (const connection of open.values()) if (connection.address === address) connections += 1;
    return connections;
  };

  /** @param address of those that may be closed; any when left out */
  function closeIdle(address?: string): void {
    for (const [socket, connection] of open) {
      if (connection.requests > 0 || (address !== undefined && connection.address !== address)) continue;
      open.delete(socket);
      socket.destroy();
      return;
    }
  }

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    open.set(socket, { address, requests: 0 });
    socket.once('close', () => open.delete(socket));
    if (count(address) > perAddress) closeIdle(address);
    else if (open.size > total) closeIdle();
  });

  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = open.get(socket);
    if (connection === undefined) return;
    connection.requests += 1;
    response.once('close', () => {
      connection.requests -= 1;
      if (!open.delete(socket)) return;
      // To the end of the line.
      open.set(socket, connection);
    });
  });
}
