/** Connections to Redis or Valkey, and what their failures are called here. */
import { Redis } from 'ioredis';
import { messageOf, SvcError } from '../errors.ts';

export interface BrokerAddress {
  readonly url: string;
  /** Without what must not be shown. */
  readonly shown: string;
}

const protocols: Readonly<Record<string, string>> = {
  'redis:': 'redis:',
  'rediss:': 'rediss:',
  'valkey:': 'redis:',
  'valkeys:': 'rediss:',
};

/** @throws SvcError INVALID_REQUEST, without the password that the text may hold */
export function parseBrokerUrl(text: string): BrokerAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const protocol = protocols[url?.protocol ?? ''];
  if (url === undefined || protocol === undefined || url.hostname === '') {
    const received = url === undefined ? 'another text' : `one of ${url.protocol || 'no protocol'}`;
    throw new SvcError(
      'INVALID_REQUEST',
      `expected an address such as redis://127.0.0.1:6379 for --broker, received ${received}`,
    );
  }
  const rest = text.slice(url.protocol.length);
  return { url: `${protocol}${rest}`, shown: `${protocol}//${url.host}${url.pathname}` };
}

const longestPause = 1_000;
const pauseBefore = (attempt: number): number => Math.min(longestPause, 25 * 2 ** attempt);

/** How long a broker may take to be connected to, and to answer a front end, in milliseconds. */
const connectMilliseconds = 5_000;

/**
 * `front`: a command fails at once while the broker is away, because a client waits for the answer. `worker`: it waits
 * for the broker's return, because the audio is there and must not be lost.
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
    throw new SvcError(
      'BACKEND_UNAVAILABLE',
      `expected a broker that answers at ${shown}, received: ${messageOf(cause) || 'no connection'}`,
      { cause },
    );
  }
}

/** Clients of a server are told this: where the broker is, is not for them. The cause is for the log. */
export const brokerAway = (cause?: unknown): SvcError =>
  new SvcError('BACKEND_UNAVAILABLE', 'the broker of the server does not answer; retry later', { cause });

/** Runs `work` on the broker; what the library throws becomes one error with a status. */
export async function withBroker<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof SvcError ? thrown : brokerAway(thrown);
  }
}
