/** Logs connection errors without repeating them on every attempt. */
import type { Logger } from 'pino';

/** Interval after which a persistent error is logged again, in milliseconds. */
const silenceMilliseconds = 10_000;

export function createFailureLog(logger: Pick<Logger, 'warn'>): (error: Error) => void {
  const logged = new Map<string, number>();
  return ({ message }) => {
    const now = Date.now();
    for (const [text, time] of logged) if (now - time >= silenceMilliseconds) logged.delete(text);
    if (logged.has(message)) return;
    logged.set(message, now);
    logger.warn({ reason: message }, 'broker connection failed');
  };
}
