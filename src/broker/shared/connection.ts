/** Connections to Redis or Valkey, their errors, and the log of these. */
import { setTimeout as wait } from 'node:timers/promises';
import { Cluster, Redis, type RedisOptions, type SentinelConnectionOptions, SentinelConnector } from 'ioredis';
import type { Logger } from 'pino';
import { throwIfCanceled } from '../../cancellation.ts';
import { messageOf, SvcError } from '../../errors.ts';
import type { BrokerAddress } from './address.ts';
import { leaseMilliseconds } from './task.ts';

/** Both have the same commands. */
export type RedisClient = Redis | Cluster;

/**
 * Finds the master of a group of Sentinels. While it reconnects, news of a failover from before would break off the attempt,
 * and the Redis library would give up for good.
 */
class SteadySentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override connect(...parameters: Parameters<SentinelConnector['connect']>): ReturnType<SentinelConnector['connect']> {
    // Each connection gets a detector of its own.
    (Reflect.get(this, 'failoverDetector') as { cleanup(): void } | null)?.cleanup();
    return super.connect(...parameters);
  }
}

const longestPause = 1_000;
const pauseBefore = (attempt: number): number => Math.min(longestPause, 25 * 2 ** attempt);

/** Time limit for connecting, and for each command of a front end, in milliseconds. */
const connectMilliseconds = 5_000;

/** Time without an answer after which a connection counts as lost, in milliseconds; longer than a worker waits for a task. */
const silentMilliseconds = 4_000;

/**
 * While the broker is unreachable, commands of a `front` fail at once, because a client is waiting; those of a `worker`
 * wait, so that no audio is lost.
 *
 * @throws SvcError BACKEND_UNAVAILABLE
 */
export async function connectBroker(
  address: BrokerAddress,
  kind: 'front' | 'worker',
  log: ConnectionLog,
): Promise<RedisClient> {
  let isConnected = false;
  const client = openClient(address, kind, () => isConnected);
  let failure: Error | undefined;
  client.on('error', (error: Error) => {
    failure = error;
    log.failed(error);
  });
  client.on('ready', log.restored);
  try {
    await withinLimit(client.connect().then(() => confirm(client, address)));
    isConnected = true;
    return client;
  } catch (thrown) {
    client.disconnect();
    const cause = failure ?? thrown;
    const message =
      refusalOf(address, cause) ?? `cannot reach Redis at ${address.shown}: ${describeFailure(cause, address)}`;
    throw new SvcError('BACKEND_UNAVAILABLE', message, { cause });
  }
}

/** The Redis library stays in database 0 when the server refuses another. */
async function confirm(client: RedisClient, { database }: BrokerAddress): Promise<void> {
  if (database > 0) await client.call('SELECT', database);
  await client.ping();
}

/** The Redis library may wait forever for a cluster that was not complete at first. */
async function withinLimit(work: Promise<unknown>): Promise<void> {
  const ended = new AbortController();
  const late = wait(2 * connectMilliseconds, undefined, { signal: ended.signal }).then(() => {
    throw Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' });
  });
  try {
    await Promise.race([work, late]);
  } finally {
    ended.abort();
    // Either may fail after the other has ended.
    for (const each of [work, late]) each.catch(() => undefined);
  }
}

/** @param isConnected whether to keep trying when no Sentinel answers */
function openClient(address: BrokerAddress, kind: 'front' | 'worker', isConnected: () => boolean): RedisClient {
  const { nodes, username, password, database, master, sentinelPassword } = address;
  // As ioredis's types are written without undefined.
  const tls = address.tls as NonNullable<RedisOptions['tls']> | undefined;
  const isFront = kind === 'front';
  const connection = {
    connectTimeout: connectMilliseconds,
    connectionName: `svc-${kind}`,
    socketTimeout: silentMilliseconds,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls }),
    ...(isFront && { commandTimeout: connectMilliseconds }),
  } satisfies RedisOptions;
  if (address.kind === 'cluster') {
    return new Cluster([...nodes], {
      lazyConnect: true,
      redisOptions: connection,
      clusterRetryStrategy: pauseBefore,
      enableOfflineQueue: !isFront,
      ...(!isFront && { maxRedirections: Number.POSITIVE_INFINITY }),
    });
  }
  const [node] = nodes;
  const place =
    master === undefined
      ? { ...node }
      : {
          Connector: SteadySentinelConnector,
          sentinels: nodes.map((sentinel) => ({ ...sentinel })),
          name: master,
          // Else a master that is cut off would keep its clients.
          failoverDetector: true,
          sentinelRetryStrategy: (attempt: number) => (isConnected() ? pauseBefore(attempt) : null),
          // A master that has become a replica: ask the Sentinels again, and repeat the command.
          reconnectOnError: ({ message }: Error) => (message.includes('READONLY') ? (2 as const) : false),
          ...(sentinelPassword !== undefined && { sentinelPassword }),
          ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: tls }),
        };
  return new Redis({
    ...connection,
    ...place,
    db: database,
    lazyConnect: true,
    retryStrategy: pauseBefore,
    ...(isFront ? { maxRetriesPerRequest: 0, enableOfflineQueue: false } : { maxRetriesPerRequest: null }),
  });
}

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'host not found',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'host unreachable',
  EPIPE: 'connection closed',
};

/** The refusal of a server that answers, which no waiting changes; undefined for other failures. */
export function refusalOf({ shown, database }: BrokerAddress, cause: unknown): string | undefined {
  const { lastNodeError } = Object(cause) as { readonly lastNodeError?: unknown };
  const reply = messageOf(lastNodeError ?? cause);
  if (/^(NOAUTH|WRONGPASS)\b/.test(reply)) {
    return `Redis at ${shown} refuses the user or password; write them as in redis://USER:PASSWORD@host`;
  }
  if (reply.includes('DB index is out of range')) return `Redis at ${shown} has no database ${database}`;
  if (/unknown command .?sentinel/i.test(reply))
    return `the server at ${shown} is no Sentinel; write redis://HOST:PORT`;
  if (reply.includes('cluster support disabled')) {
    return `the server at ${shown} belongs to no cluster; write redis://HOST:PORT`;
  }
  return undefined;
}

function describeFailure(cause: unknown, { tls }: BrokerAddress): string {
  // `reason` is OpenSSL's; its message has codes and places in the source, too.
  const { code, reason } = cause as { readonly code?: string; readonly reason?: string };
  const failure = failures[code ?? ''] ?? reason ?? (messageOf(cause) || 'no connection');
  // A server without TLS waits for the rest of what it takes for a command.
  return tls && code === 'ETIMEDOUT' ? `${failure}; for a server without TLS, write redis://` : failure;
}

/** Error for clients: it hides the broker's address. The cause goes to the log. */
export const brokerUnreachable = (cause?: unknown): SvcError =>
  new SvcError('BACKEND_UNAVAILABLE', 'the server cannot reach its broker; retry later', { cause });

/** Repeats `work` while the broker is away, as long as a lease lasts. @throws SvcError BACKEND_UNAVAILABLE, CANCELLED */
export async function persist<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  const since = performance.now();
  for (;;) {
    throwIfCanceled(signal);
    try {
      return await work();
    } catch (thrown) {
      if (performance.now() - since > leaseMilliseconds) throw brokerUnreachable(thrown);
      await wait(100);
    }
  }
}

/** Runs `work`; maps errors of the Redis library to `brokerUnreachable`. */
export async function withBroker<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof SvcError ? thrown : brokerUnreachable(thrown);
  }
}

export type ConnectionLog = ReturnType<typeof createConnectionLog>;

/** Interval after which a persistent error is logged again, in milliseconds. */
const repeatMilliseconds = 10_000;

/** Logs the failures of connections without repeating them on every attempt, and their end. */
export function createConnectionLog(logger: Pick<Logger, 'info' | 'warn'>) {
  const logged = new Map<string, number>();
  let isLost = false;
  return {
    failed(error: Error): void {
      const { message: reason } = error;
      const now = performance.now();
      for (const [text, time] of logged) if (now - time >= repeatMilliseconds) logged.delete(text);
      if (logged.has(reason)) return;
      logged.set(reason, now);
      const isConnection = isAboutConnection(error);
      isLost ||= isConnection;
      logger.warn({ reason }, `broker ${isConnection ? 'connection' : 'command'} failed`);
    },
    restored(): void {
      if (isLost) logger.info({}, 'broker connection restored');
      isLost = false;
      logged.clear();
    },
  };
}

/** Errors of the network and of TLS have names as codes; the Redis library's own name the connection. */
const isAboutConnection = (error: Error & { readonly code?: unknown }): boolean =>
  typeof error.code === 'string' || /connection|socket|sentinel|cluster/i.test(error.message);
