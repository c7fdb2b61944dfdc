/** Limits the connections of a server, so that one client can't shut out the others. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { noteArrival } from '../../event-loop.ts';

export interface ConnectionLimits {
  readonly total: number;
  /** Open connections per address. High, since all clients of a reverse proxy share one. */
  readonly perAddress: number;
}

/** One address may have half of all connections. */
export const connectionLimits = (total: number): ConnectionLimits => ({ total, perAddress: Math.ceil(total / 2) });

export const defaultConnectionLimits = connectionLimits(1024);

/**
 * Over a limit, closes the connection that has been idle longest, which makes room for the new one; if no other is idle, the
 * one whose body has been arriving longest; else the new one itself.
 *
 * @example limitConnections(server, { total: 1024, perAddress: 512 });
 */
export function limitConnections(server: Server, { total, perAddress }: ConnectionLimits): void {
  /** Address and running requests of each connection; idle ones are ordered by the start of their idleness. */
  const open = new Map<string, { readonly socket: Socket; readonly address: string; requests: number }>();
  /** Requests whose bodies are still arriving, the oldest first. */
  const receiving = new Map<string, IncomingMessage>();
  const counts = new Map<string, number>();

  function leave(peer: string, address: string): void {
    receiving.delete(peer);
    if (!open.delete(peer)) return;
    const left = (counts.get(address) ?? 0) - 1;
    if (left > 0) counts.set(address, left);
    else counts.delete(address);
  }

  /** @param newest is chosen only if there is no other @param address chooses only among its connections */
  function leastWorthy(newest: string, address?: string): string {
    const isOf = (peer: string): boolean => address === undefined || open.get(peer)?.address === address;
    for (const [peer, { requests }] of open) {
      if (requests === 0 && peer !== newest && isOf(peer)) return peer;
    }
    for (const [peer, { complete }] of receiving) {
      if (complete) receiving.delete(peer);
      else if (isOf(peer)) return peer;
    }
    return newest;
  }

  function close(peer: string): void {
    const connection = open.get(peer);
    if (connection === undefined) return;
    leave(peer, connection.address);
    connection.socket.destroy();
  }

  server.on('connection', (socket: Socket) => {
    noteArrival();
    const address = socket.remoteAddress ?? '';
    const peer = peerOf(socket);
    leave(peer, address);
    open.set(peer, { socket, address, requests: 0 });
    counts.set(address, (counts.get(address) ?? 0) + 1);
    socket.once('close', () => {
      if (open.get(peer)?.socket === socket) leave(peer, address);
    });
    if ((counts.get(address) ?? 0) > perAddress) close(leastWorthy(peer, address));
    else if (open.size > total) close(leastWorthy(peer));
  });

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const peer = peerOf(socket);
    const connection = open.get(peer);
    if (connection === undefined) return;
    connection.requests += 1;
    if (!request.complete) {
      receiving.set(peer, request);
      request.once('end', () => {
        if (receiving.get(peer) === request) receiving.delete(peer);
      });
    }
    response.once('close', () => {
      connection.requests -= 1;
      // Moves the connection to the end of the order, unless it was closed and its port is in use again.
      if (open.get(peer) === connection && open.delete(peer)) open.set(peer, connection);
    });
  });
}

/** With TLS, requests have another socket than the connection, with the same addresses. */
const peerOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  [remoteAddress, remotePort, localAddress].join(' ');
