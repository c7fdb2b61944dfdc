/** Clients that send requests ahead of their answers. */
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { createPace } from '../../event-loop.ts';

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
        else
          void createPace()().then(() => {
            if (!socket.destroyed) next();
          });
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

/** Bytes that are parsed before the connection is looked at again: of heads, and of a body. */
const piece = { ofHeads: 1024, ofBody: 16 * 1024 };

/**
 * Parses what arrives in small pieces, and nothing after the connection is cut: Node.js would create the hundreds of requests that
 * fit in one packet, and destroy each of them, in one turn of the event loop.
 */
export function parseInPieces(server: Server, event: 'connection' | 'secureConnection'): void {
  const last = new WeakMap<Socket, IncomingMessage>();
  const parsing = new WeakMap<Socket, (bytes: Buffer) => void>();
  server.on(event, (socket: Socket) => {
    const parsers = socket.listeners('data') as ((bytes: Buffer) => void)[];
    const parse = (arrived: Buffer): void => {
      for (let rest = arrived; rest.length > 0; ) {
        // Cut, or handed over to a WebSocket, whose client should have waited for the answer.
        if (!socket.listeners('data').includes(parse)) socket.destroy();
        if (socket.destroyed) return;
        if (socket.isPaused()) return void socket.unshift(rest);
        const most = last.get(socket)?.complete === false ? piece.ofBody : piece.ofHeads;
        for (const listener of parsers) listener(rest.subarray(0, most));
        rest = rest.subarray(most);
      }
    };
    for (const listener of parsers) socket.removeListener('data', listener);
    socket.on('data', parse);
    parsing.set(socket, parse);
  });
  server.on('request', (request: IncomingMessage) => last.set(request.socket, request));
  // A listener of its own would have upgrades offered that nobody takes.
  if (server.listenerCount('upgrade') === 0) return;
  server.on('upgrade', ({ socket }: IncomingMessage) => {
    const parse = parsing.get(socket);
    if (parse !== undefined) socket.removeListener('data', parse);
  });
}
