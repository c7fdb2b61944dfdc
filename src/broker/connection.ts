/** Connections to Redis or Valkey, and their errors. */
import { Redis } from 'ioredis';
import { messageOf, SvcError } from '../errors.ts';

export interface BrokerAddress {
  readonly url: string;
  /** Without credentials, for messages. */
  readonly shown: string;
}

const protocols: Readonly<Record<string, string>> = {
  'redis:': 'redis:',
  'rediss:': 'rediss:',
  'valkey:': 'redis:',
  'valkeys:': 'rediss:',
};

/** @throws SvcError INVALID_REQUEST; the message doesn't quote the text, which may hold a password */
export function parseBrokerUrl(text: string): BrokerAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const protocol = protocols[url?.protocol ?? ''];
  if (url === undefined || protocol === undefined || url.hostname === '') {
    throw new SvcError('INVALID_REQUEST', '--broker must be an address such as redis://127.0.0.1:6379');
  }
  const rest = text.slice(url.protocol.length);
  return { url: `${protocol}${rest}`, shown: `${protocol}//${url.host}${url.pathname}` };
}

const longestPause = 1_000;
const pauseBefore = (attempt: number): number => Math.min(longestPause, 25 * 2 ** attempt);

/** Time limit for connecting, and for each command of a front end, in milliseconds. */
const connectMilliseconds = 5_000;

/**
 * While the broker is unreachable, commands of a `front` fail at once, because a client is waiting; those of a `worker`
 * wait, so that no audio is lost.
 *
 * @throws SvcError BACKEND_UNAVAILABLE
 */
export async function connectBroker(
  { url, shown }: BrokerAddress,
  kind: 'front' | 'worker',
  onError: (error: Error) => void,
): Promise<Redis> {
  const patience =
    kind === 'front'
      ? { maxRetriesPerRequest: 0, enableOfflineQueue: false, commandTimeout: connectMilliseconds }
      : { maxRetriesPerRequest: null };
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: connectMilliseconds,
    connectionName: `svc-${kind}`,
    retryStrategy: pauseBefore,
    ...patience,
  });
  let failure: Error | undefined;
  redis.on('error', (error: Error) => {
    failure = error;
    onError(error);
  });
  try {
    await redis.connect();
    await redis.ping();
    return redis;
  } catch (thrown) {
    redis.disconnect();
    const cause = failure ?? thrown;
    throw new SvcError('BACKEND_UNAVAILABLE', `cannot reach Redis at ${shown}: ${describeFailure(cause)}`, { cause });
  }
}

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'host not found',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'host unreachable',
};

const describeFailure = (cause: unknown): string =>
  failures[(cause as NodeJS.ErrnoException).code ?? ''] ?? (messageOf(cause) || 'no connection');

/** Error for clients: it hides the broker's address. The cause goes to the log. */
export const brokerUnreachable = (cause?: unknown): SvcError =>
  new SvcError('BACKEND_UNAVAILABLE', 'the server cannot reach its broker; retry later', { cause });

/** Runs `work`; maps errors of the Redis library to `brokerUnreachable`. */
export async function withBroker<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof SvcError ? thrown : brokerUnreachable(thrown);
  }
}
