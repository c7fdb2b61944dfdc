/** Logs the failures of connections to the broker without repeating them on every attempt, and their end. */
import type { Logger } from 'pino';

export interface ConnectionLog {
  readonly failed: (error: Error) => void;
  readonly restored: () => void;
}

/** Interval after which a persistent error is logged again, in milliseconds. */
const silenceMilliseconds = 10_000;

export function createConnectionLog(logger: Pick<Logger, 'info' | 'warn'>): ConnectionLog {
  const logged = new Map<string, number>();
  let isLost = false;
  return {
    failed(error) {
      const { message: reason } = error;
      const now = performance.now();
      for (const [text, time] of logged) if (now - time >= silenceMilliseconds) logged.delete(text);
      if (logged.has(reason)) return;
      logged.set(reason, now);
      if (!isAboutConnection(error)) return logger.warn({ reason }, 'broker command failed');
      isLost = true;
      logger.warn({ reason }, 'broker connection failed');
    },
    restored() {
      if (isLost) logger.info({}, 'broker connection restored');
      isLost = false;
      logged.clear();
    },
  };
}

/** Errors of the network and of TLS have names as codes; the Redis library's own name the connection. */
const isAboutConnection = (error: Error & { readonly code?: unknown }): boolean =>
  typeof error.code === 'string' || /connection|socket|sentinel|cluster/i.test(error.message);
