/** The server's socket: timeouts and graceful shutdown. */
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import type { AdmissionQueue } from '../admission/queue.ts';
import { listenFailure, type PortOption } from '../network-errors.ts';
import { defaultLimits } from './context/settings.ts';
import type { Sockets } from './context/sockets.ts';
import { type ConnectionLimits, defaultConnectionLimits, limitConnections } from './http/connections.ts';
import { limitPipelining } from './http/pipelining.ts';
import { cutStalled } from './http/stalled-connections.ts';
import type { TlsFiles } from './http/tls-files.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Sets the port, for messages. */
  readonly portOption?: PortOption;
  /** Time limits for receiving the headers of a request and the whole request, in milliseconds. */
  readonly headersMilliseconds?: number;
  readonly requestMilliseconds?: number;
  readonly idleMilliseconds?: number;
  /** Interval for checking the first two limits. */
  readonly checkMilliseconds?: number;
  /** How long a client may leave what it was sent unread before it is disconnected, in milliseconds. */
  readonly stallMilliseconds?: number;
  readonly connections?: ConnectionLimits;
  readonly tls?: TlsFiles | undefined;
  /** Without it, requests for an upgrade are served as ordinary ones. */
  readonly sockets?: Sockets | undefined;
  /** Called for later errors of the socket, such as running out of file descriptors. */
  readonly onError?: (error: Error) => void;
}

export interface RunningServer {
  readonly host: string;
  readonly port: number;
  /** Waits at most `milliseconds` for running requests, then cancels them. Resolves when all connections are closed. */
  close(milliseconds: number): Promise<void>;
}

/** @throws SvcError IO when the address can't be used. */
export async function listen(app: Express, queue: AdmissionQueue, options: ListenOptions): Promise<RunningServer> {
  const { tls, sockets, headersMilliseconds = 15_000 } = options;
  const limits = {
    headersTimeout: headersMilliseconds,
    requestTimeout: options.requestMilliseconds ?? 120_000,
    keepAliveTimeout: options.idleMilliseconds ?? 10_000,
    connectionsCheckingInterval: options.checkMilliseconds ?? 5_000,
  };
  const serve = limitPipelining(app);
  const secure = tls && createTlsServer({ ...limits, ...tls.pair, handshakeTimeout: headersMilliseconds }, serve);
  const server = secure ?? createServer(limits, serve);
  sockets?.attach(server);
  const { address: host, port } = await beginListening(server, options);
  const unfollow = tls?.follow((pair) => secure?.setSecureContext(pair));
  return {
    host,
    port,
    async close(milliseconds) {
      unfollow?.();
      await close(server, { queue, sockets }, milliseconds);
    },
  };
}

/** Binds a server, with limits on its connections. @throws SvcError IO when the address can't be used */
export async function beginListening(server: Server, options: ListenOptions): Promise<AddressInfo> {
  const { host, port, portOption, connections = defaultConnectionLimits, onError } = options;
  const { stallMilliseconds = defaultLimits.stallMilliseconds } = options;
  limitConnections(server, connections);
  cutStalled(server, stallMilliseconds);
  await new Promise<void>((resolve, reject) => {
    // Never removed: an unhandled error event would end the process.
    server.on('error', (cause: NodeJS.ErrnoException) => {
      if (server.listening) onError?.(cause);
      else reject(listenFailure(host, port, cause, portOption));
    });
    server.listen(port, host, resolve);
  });
  return server.address() as AddressInfo;
}

type Work = Pick<ListenOptions, 'sockets'> & { readonly queue: AdmissionQueue };

async function close(server: Server, { queue, sockets }: Work, milliseconds: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  sockets?.drain();
  await queue.drain(milliseconds);
  // The last answers may still be on their way to slow clients.
  const last = setTimeout(() => {
    server.closeAllConnections();
    sockets?.cut();
  }, lastMilliseconds);
  server.closeIdleConnections();
  await closed;
  clearTimeout(last);
}

/** How long slow clients may take to read the last answers. */
const lastMilliseconds = 1_000;
