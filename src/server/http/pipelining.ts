/** Clients that send requests ahead of their answers. */
import type { RequestListener } from 'node:http';
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
