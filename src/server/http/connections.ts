/** Limits the connections of a server, so that one client can't shut out the others. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { noteArrival } from '../../event-loop.ts';

export interface ConnectionLimits {
  /** Open connections; each takes memory and a file descriptor. */
  readonly total: number;
  /** Open connections per address. High, since all clients of a reverse proxy share one. */
  readonly perAddress: number;
}

/** One address may have half of all connections. */
export const connectionLimits = (total: number): ConnectionLimits => ({ total, perAddress: Math.ceil(total / 2) });

export const defaultConnectionLimits = connectionLimits(1024);

/**
 * Over a limit, closes the connection that has been idle longest, which makes room for the new one; if no other is idle,
 * that is the new one itself.
 *
 * @example limitConnections(server, { total: 1024, perAddress: 512 });
 */
export function limitConnections(server: Server, { total, perAddress }: ConnectionLimits): void {
  /** Address and running requests of each connection; idle ones are ordered by the start of their idleness. */
  const open = new Map<string, { readonly socket: Socket; readonly address: string; requests: number }>();
  /** Open connections of each address. */
  const counts = new Map<string, number>();

  function leave(peer: string, address: string): void {
    if (!open.delete(peer)) return;
    const left = (counts.get(address) ?? 0) - 1;
    if (left > 0) counts.set(address, left);
    else counts.delete(address);
  }

  /** @param address closes only connections from this address; any if omitted */
  function closeIdle(address?: string): void {
    for (const [peer, connection] of open) {
      if (connection.requests > 0 || (address !== undefined && connection.address !== address)) continue;
      leave(peer, connection.address);
      connection.socket.destroy();
      return;
    }
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
    if ((counts.get(address) ?? 0) > perAddress) closeIdle(address);
    else if (open.size > total) closeIdle();
  });

  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (socket.destroyed) return;
    const peer = peerOf(socket);
    const connection = open.get(peer);
    if (connection === undefined) return;
    connection.requests += 1;
    response.once('close', () => {
      connection.requests -= 1;
      // Moves the connection to the end of the order, unless it was closed and its port is in use again.
      if (open.get(peer) === connection && open.delete(peer)) open.set(peer, connection);
    });
  });
}

/** Requests that may wait on one connection: clients send the next when they have the answer, or a few ahead. */
const mostWaiting = 7;

/**
 * Serves the requests of one connection one after another, and cuts a connection that sends many ahead: all of those that
 * arrive together would be served in one turn of the event loop, and each of their answers takes memory and perhaps an open
 * file before the first one is read.
 */
export function limitPipelining(serve: RequestListener): RequestListener {
  /** Requests that arrived behind an open one. */
  const open = new WeakMap<Socket, (() => void)[]>();
  return (request, response) => {
    const { socket } = request;
    const serveNow = () => {
      response.once('close', () => {
        const next = open.get(socket)?.shift();
        if (next === undefined) open.delete(socket);
        else if (!socket.destroyed) setImmediate(next);
      });
      serve(request, response);
    };
    const waiting = open.get(socket);
    if (waiting === undefined) {
      open.set(socket, []);
      serveNow();
    } else if (waiting.length < mostWaiting) waiting.push(serveNow);
    else socket.destroy();
  };
}

/** With TLS, requests have another socket than the connection, with the same addresses. */
const peerOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  [remoteAddress, remotePort, localAddress].join(' ');
