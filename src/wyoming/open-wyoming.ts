/** The socket for Wyoming clients, beside that for HTTP: the same models, voices, queue and limits. */
import { lstat, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { ignore, SvcError } from '../errors.ts';
import { reasonOf } from '../files/file-system.ts';
import { listenFailure } from '../network-errors.ts';
import type { ServerContext } from '../server/context/context.ts';
import type { ProtocolServer } from '../server/open-server.ts';
import type { WyomingAddress } from './address.ts';
import { announce } from './announce.ts';
import { type Connection, serveConnection } from './connection.ts';
import { defaultReceiveLimits, type ReceiveLimits } from './events.ts';
import { createDescription } from './info.ts';

export interface WyomingOptions {
  readonly address: WyomingAddress;
  /** Whether to announce it to the local network. */
  readonly announce?: boolean;
  readonly limits?: Partial<ReceiveLimits>;
  /** Maximum number of connections. */
  readonly connections?: number;
}

export interface WyomingListener extends ProtocolServer {
  /** With the port that was chosen for port 0. */
  readonly address: WyomingAddress;
}

/** How long slow clients may take to read the last audio. */
const lastMilliseconds = 1_000;

/** @throws SvcError IO when the address can't be used */
export async function openWyoming(context: ServerContext, options: WyomingOptions): Promise<WyomingListener> {
  const { address, connections: most = 256 } = options;
  const limits = { ...defaultReceiveLimits, ...options.limits };
  const describe = createDescription(context);
  /** In the order of their beginning. */
  const connections = new Map<Socket, Connection>();

  const server = createServer((socket) => {
    const connection = serveConnection(context, socket, { describe, limits });
    connections.set(socket, connection);
    void connection.closed.then(() => connections.delete(socket));
    if (connections.size <= most) return;
    // Makes room like HTTP: the oldest that is idle goes, if no other is, the new one.
    const [oldest] = [...connections].find(([, { isIdle }]) => isIdle()) ?? [socket];
    oldest.destroy();
  });
  if (address.kind === 'unix') await removeLeftOver(address);
  await listen(server, address, ({ message }) => context.logger.error({ reason: message }, 'socket failed'));

  const bound = boundAddress(server, address);
  const announcement = options.announce && bound.kind === 'tcp' ? announce(bound, context.logger) : undefined;
  return {
    address: bound,
    async close(milliseconds) {
      const goodbye = announcement?.end();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const { finish } of connections.values()) finish();
      await context.queue.drain(milliseconds);
      // The last audio may still be on its way to slow clients.
      const last = setTimeout(() => {
        for (const socket of connections.keys()) socket.destroy();
      }, lastMilliseconds);
      await Promise.all([closed, goodbye]);
      clearTimeout(last);
    },
  };
}

const listen = (server: Server, address: WyomingAddress, onError: (error: Error) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    // Never removed: an unhandled error event would end the process.
    server.on('error', (cause: NodeJS.ErrnoException) => {
      if (server.listening) return onError(cause);
      if (address.kind === 'unix') reject(unusable(address, cause));
      else reject(listenFailure(address.host, address.port, cause, '--wyoming'));
    });
    server.listen(address, resolve);
  });

/** Removes the socket that a killed server left. Any other file stays. */
async function removeLeftOver({ path }: { readonly path: string }): Promise<void> {
  const refusal = await new Promise<string | undefined>((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
  });
  if (refusal !== 'ECONNREFUSED') return;
  // A socket that can't be removed is reported as an address in use.
  if ((await lstat(path).catch(ignore))?.isSocket()) await rm(path, { force: true }).catch(ignore);
}

function unusable({ path }: { readonly path: string }, cause: NodeJS.ErrnoException): SvcError {
  const reason =
    cause.code === 'EADDRINUSE' ? 'the address is already in use; choose another --wyoming' : reasonOf(cause);
  return new SvcError('IO', `cannot listen on ${path}: ${reason}`, { cause });
}

function boundAddress(server: Server, address: WyomingAddress): WyomingAddress {
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? { kind: 'tcp', host: bound.address, port: bound.port } : address;
}
