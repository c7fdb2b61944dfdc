/**
 * Accepts WebSockets. The request for an upgrade goes through the application like any other, so that the log, the guard
 * against foreign web pages and the check of the API key apply, and refusals are ordinary answers.
 */
import { setMaxListeners } from 'node:events';
import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import type { Request, RequestHandler } from 'express';
import { WebSocketServer } from 'ws';
import { shuttingDown } from '../../admission/drain.ts';
import { SvcError } from '../../errors.ts';
import type { Span } from '../../tracing/span.ts';
import { keyOf, type StoredKey } from '../http/api-keys.ts';
import type { ErrorStyle } from '../http/problem.ts';
import type { Client } from './client.ts';
import { createLiveSocket, type LiveSocket } from './live-socket.ts';
import type { ServerSettings } from './settings.ts';

interface SocketClient extends Client {
  /** Counts the connection for a key that came in a message. @throws SvcError QUEUE_FULL, RATE_LIMITED */
  admit(key: StoredKey): void;
}

export interface Connection {
  readonly socket: LiveSocket;
  readonly client: SocketClient;
  /** Aborted when the server shuts down. */
  readonly closing: AbortSignal;
  readonly request: Request;
}

/** Serves a connection; resolves when it is over. Must not reject. */
type ServeSocket = (connection: Connection) => Promise<void>;

export interface SocketRoute {
  /** With parameters as `:id`. */
  readonly path: string;
  /** Default: the errors of the public API. */
  readonly errors?: ErrorStyle | undefined;
  /** `message`: a client that sends no key in a header sends it in its first message, which `serve` checks. */
  readonly access?: 'message';
  readonly serve: ServeSocket;
}

export type Sockets = ReturnType<typeof createSockets>;

interface Upgrade {
  readonly socket: Socket;
  readonly head: Buffer;
}

const mostStrangers = 32;
/** Part of all sessions that one key may have, if its concurrency limit needs no more. */
const shareOfKey = 1 / 4;

export function createSockets({ limits, findKey }: Pick<ServerSettings, 'limits' | 'findKey'>) {
  const { bodyBytes, sessions, heartbeatMilliseconds } = limits;
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  const refusals = new WeakMap<IncomingMessage, (error: Error) => void>();
  const server = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: bodyBytes });
  server.on('wsClientError', (error, _socket, request) => refusals.get(request)?.(error));
  server.on('headers', (headers, { id }: IncomingMessage & { readonly id?: unknown }) => {
    headers.push(`X-Request-Id: ${id}`);
  });
  const closing = new AbortController();
  setMaxListeners(Number.POSITIVE_INFINITY, closing.signal);
  /** With their keys, unless the server has none. */
  const open = new Map<LiveSocket, StoredKey | undefined>();
  /** Those without a key yet, the oldest first. */
  const strangers = new Set<LiveSocket>();

  function assertRoom(key: StoredKey | undefined): void {
    if (open.size >= sessions) {
      throw new SvcError('QUEUE_FULL', `too many sessions at once (the limit is ${sessions}); retry later`);
    }
    if (key === undefined) return;
    const most = Math.max(Math.ceil(sessions * shareOfKey), key.concurrencyLimit ?? 0);
    const held = [...open.values()].filter((other) => other?.name === key.name).length;
    if (held >= most) {
      throw new SvcError('RATE_LIMITED', `this API key is limited to ${most} sessions at once; close one first`);
    }
  }

  function enter(socket: LiveSocket, key: StoredKey | undefined): void {
    strangers.delete(socket);
    open.set(socket, key);
  }

  /** Makes room for a stranger, so that others can't keep it out. */
  function enterStranger(socket: LiveSocket): void {
    const [oldest] = strangers;
    if (strangers.size >= mostStrangers && oldest !== undefined) {
      strangers.delete(oldest);
      oldest.cut();
    }
    strangers.add(socket);
  }

  const accept =
    (serve: ServeSocket): RequestHandler =>
    (request, response, next) => {
      const upgrade = upgrades.get(request);
      if (upgrade === undefined) return next('route');
      if (closing.signal.aborted) throw shuttingDown();
      const key = keyOf(response);
      const isStranger = findKey !== undefined && key === undefined;
      if (!isStranger) assertRoom(key);
      refusals.set(request, ({ message }) => next(new SvcError('INVALID_REQUEST', message)));
      server.handleUpgrade(request, upgrade.socket, upgrade.head, async (peer) => {
        response.detachSocket(upgrade.socket);
        const socket = createLiveSocket(peer, heartbeatMilliseconds);
        if (isStranger) enterStranger(socket);
        else enter(socket, key);
        const admit = (key: StoredKey): void => {
          assertRoom(key);
          enter(socket, key);
        };
        const { span } = response.locals as { readonly span?: Span };
        const client = { requestId: String(request.id), key, signal: socket.signal, span, admit };
        try {
          await serve({ socket, client, closing: closing.signal, request });
        } finally {
          open.delete(socket);
          strangers.delete(socket);
          finishAnswer(response);
        }
      });
    };

  return {
    /** Passes requests for an upgrade to the listener of the server's requests. */
    attach(server: Server): void {
      server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
        if (request.headers.upgrade?.toLowerCase() !== 'websocket') return ignoreUpgrade(server, request, socket, head);
        upgrades.set(request, { socket, head });
        const response = new ServerResponse(request);
        response.shouldKeepAlive = false;
        response.assignSocket(socket);
        response.once('finish', () => {
          if (response.socket === socket) socket.destroySoon();
        });
        socket.on('error', () => socket.destroy());
        server.emit('request', request, response);
      });
    },
    accept,
    /** Accepts no more connections, and asks sessions to end; they say goodbye themselves. */
    drain: (): void => closing.abort(),
    /** Cuts the connections of clients that did not read their goodbye. */
    cut(): void {
      for (const socket of [...open.keys(), ...strangers]) socket.cut();
    },
  };
}

/** `ws` has sent the answer; this one is for the log and the metrics. */
function finishAnswer(response: ServerResponse): void {
  const nowhere = new Writable({ write: (_bytes, _encoding, done) => done() });
  response.assignSocket(nowhere as Socket);
  response.once('finish', () => nowhere.destroy());
  response.writeHead(101).end();
}

/** Serves a request for another protocol, such as HTTP/2 from Java's client, as an ordinary one, the last of its connection. */
function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`, 'Connection: close'];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const [name = '', value = ''] = request.rawHeaders.slice(index, index + 2);
    if (!/^(upgrade|connection|http2-settings)$/i.test(name)) lines.push(`${name}: ${value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket);
}
