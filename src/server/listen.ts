/** The socket around the application: limits of time, and an end in order. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { listenFailure } from '../listen-failure.ts';
import type { AdmissionQueue } from './queue.ts';

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

/** Connections beyond that are closed at once: each costs memory, and files of the process are counted. */
const maxConnections = 1024;

/** @throws SvcError IO when the address can't be used. */
export async function listen(app: Express, queue: AdmissionQueue, options: ListenOptions): Promise<RunningServer> {
  const { host, port } = options;
  const server = createServer(
    {
      headersTimeout: options.headersMilliseconds ?? 15_000,
      requestTimeout: options.requestMilliseconds ?? 120_000,
      keepAliveTimeout: options.idleMilliseconds ?? 10_000,
      connectionsCheckingInterval: options.checkMilliseconds ?? 5_000,
    },
    app,
  );
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    const failed = (cause: NodeJS.ErrnoException): void => reject(listenFailure(host, port, cause));
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  return { host: address.address, port: address.port, close: (milliseconds) => close(server, queue, milliseconds) };
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
