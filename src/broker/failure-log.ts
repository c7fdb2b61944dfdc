/** What the connections report, once and not with each of their attempts. */
import type { Logger } from 'pino';

/** A failure that is told again after that time, in milliseconds, when it goes on. */
const silenceMilliseconds = 10_000;

export function createFailureLog(logger: Pick<Logger, 'warn'>): (error: Error) => void {
  const told = new Map<string, number>();
  return ({ message }) => {
    const now = Date.now();
    for (const [text, time] of told) if (now - time >= silenceMilliseconds) told.delete(text);
    if (told.has(message)) return;
    told.set(message, now);
    logger.warn({ reason: message }, 'broker');
  };
}
