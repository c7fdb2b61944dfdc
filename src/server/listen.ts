/** The socket around the application: limits of time, and an end in order. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import type { AdmissionQueue } from '../admission/queue.ts';
import { listenFailure } from '../listen-failure.ts';
import { type ConnectionLimits, defaultConnectionLimits, limitConnections } from './connections.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** How long a client may take for the headers of a request, and for a whole request, in milliseconds. */
  readonly headersMilliseconds?: number;
  readonly requestMilliseconds?: number;
  /** How long a connection may be idle between two requests. */
  readonly idleMilliseconds?: number;
  /** How often the first two are looked at. */
  readonly checkMilliseconds?: number;
  readonly connections?: ConnectionLimits;
  /** Told of what goes wrong with the socket later, such as a connection that no file is left for. */
  readonly onError?: (error: Error) => void;
}

export interface RunningServer {
  readonly host: string;
  readonly port: number;
  /**
   * Lets in no more requests, waits for those that are there, at most `milliseconds`, then cancels them. Resolves when
   * all connections are closed.
   */
  close(milliseconds: number): Promise<void>;
}

/** @throws SvcError IO when the address can't be used. */
export async function listen(app: Express, queue: AdmissionQueue, options: ListenOptions): Promise<RunningServer> {
  const server = createServer(
    {
      headersTimeout: options.headersMilliseconds ?? 15_000,
      requestTimeout: options.requestMilliseconds ?? 120_000,
      keepAliveTimeout: options.idleMilliseconds ?? 10_000,
      connectionsCheckingInterval: options.checkMilliseconds ?? 5_000,
    },
    app,
  );
  const address = await beginListening(server, options);
  return { host: address.address, port: address.port, close: (milliseconds) => close(server, queue, milliseconds) };
}

/**
 * Binds a server, with limits on its connections.
 *
 * @throws SvcError IO when the address can't be used
 */
export async function beginListening(
  server: Server,
  { host, port, connections = defaultConnectionLimits, onError }: ListenOptions,
): Promise<AddressInfo> {
  limitConnections(server, connections);
  await new Promise<void>((resolve, reject) => {
    // Stays for good: an error that nobody listens for ends the process.
    server.on('error', (cause: NodeJS.ErrnoException) => {
      if (server.listening) onError?.(cause);
      else reject(listenFailure(host, port, cause));
    });
    server.listen(port, host, resolve);
  });
  return server.address() as AddressInfo;
}

async function close(server: Server, queue: AdmissionQueue, milliseconds: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await queue.drain(milliseconds);
  // What was answered last may still be on its way to a slow client.
  const last = setTimeout(() => server.closeAllConnections(), lastMilliseconds);
  server.closeIdleConnections();
  await closed;
  clearTimeout(last);
}

const lastMilliseconds = 2_000;
