/** The start of a service before its broker. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { throwIfCanceled } from '../../cancellation.ts';
import { messageOf, SvcError } from '../../errors.ts';
import type { BrokerAddress } from './address.ts';
import { connectBroker, refusalOf } from './connection.ts';
import { brokerKeys } from './keys.ts';

const pauseMilliseconds = 1_000;
/** Attempts after which the log says again that the broker is missing. */
const saidAgainAfter = 30;
const silent = { failed: () => undefined, restored: () => undefined };

/**
 * Waits until the broker answers: after an outage or a reboot, services start in any order. A broker that refuses, such as
 * for a wrong password, is an error at once.
 *
 * @throws SvcError BACKEND_UNAVAILABLE, CANCELLED
 */
export async function awaitBroker(
  { address, queue }: { readonly address: BrokerAddress; readonly queue: string },
  logger: Pick<Logger, 'info' | 'warn'>,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    throwIfCanceled(signal);
    const reason = await tryBroker(address, queue);
    if (reason === undefined) {
      if (attempt > 0) logger.info('the broker is there');
      return;
    }
    if (attempt % saidAgainAfter === 0) logger.warn({ reason }, 'waiting for the broker');
    await wait(pauseMilliseconds, undefined, { signal }).catch(() => undefined);
  }
}

/** Returns why the broker is not there yet, if it isn't. @throws SvcError BACKEND_UNAVAILABLE */
async function tryBroker(address: BrokerAddress, queue: string): Promise<string | undefined> {
  try {
    const client = await connectBroker(address, 'front', silent);
    try {
      // Nodes of a cluster answer before they know which of them has a key.
      await client.exists(brokerKeys(queue).requests);
      return undefined;
    } finally {
      client.disconnect();
    }
  } catch (thrown) {
    const isOurs = thrown instanceof SvcError;
    const cause = isOurs ? thrown.cause : thrown;
    if (refusalOf(address, cause) === undefined && isPassing(cause)) return messageOf(thrown);
    if (isOurs) throw thrown;
    const message = `cannot use Redis at ${address.shown}: ${messageOf(thrown)}`;
    throw new SvcError('BACKEND_UNAVAILABLE', message, { cause: thrown });
  }
}

const codes = 'ECONNREFUSED ECONNRESET EPIPE ENOTFOUND EAI_AGAIN ETIMEDOUT EHOSTUNREACH ENETUNREACH'.split(' ');
/** Replies while a server loads its data or has no master, and what the Redis library says without an answer. */
const passing =
  /^(LOADING|MASTERDOWN|CLUSTERDOWN)|sentinels are unreachable|refresh slots|cluster redirections|connection is closed/i;

const isPassing = (cause: unknown): boolean => {
  const { code, message = '' } = (cause ?? {}) as { readonly code?: string; readonly message?: string };
  return codes.includes(code ?? '') || passing.test(message);
};
