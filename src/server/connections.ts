/** Limits the connections of a server, so that one client can't shut out the others. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Open connections; each takes memory and a file descriptor. */
  readonly total: number;
  /** Open connections per address. High, since all clients of a reverse proxy share one. */
  readonly perAddress: number;
}

export const defaultConnectionLimits: ConnectionLimits = { total: 1024, perAddress: 512 };

/**
 * Over a limit, closes the connection that has been idle longest, which makes room for the new one; if no other is idle,
 * that is the new one itself.
 *
 * @example limitConnections(server, { total: 1024, perAddress: 512 });
 */
export function limitConnections(server: Server, { total, perAddress }: ConnectionLimits): void {
  /** Address and running requests of each connection; idle ones are ordered by the start of their idleness. */
  const open = new Map<Socket, { readonly address: string; requests: number }>();

  const count = (address: string): number => {
    let connections = 0;
    for (const connection of open.values()) if (connection.address === address) connections += 1;
    return connections;
  };

  /** @param address closes only connections from this address; any if omitted */
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
      // Moves the connection to the end of the order.
      open.set(socket, connection);
    });
  });
}
