/** Options of commands that run until they are told to end. */
import { Option } from 'commander';
import type { Range } from '../../validation.ts';
import { nameOption, parseNumber } from './options.ts';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];
const drainSeconds: Range = { kind: 'integer', minimum: 0, maximum: 3600, default: 30 };

/** A number within a range, which may have a default. A short flag may stand before the long one, which messages name. */
export function rangeOption(flag: string, range: Range, what: string): Option {
  const description = `${what} (${range.minimum} to ${range.maximum})`;
  const option = new Option(`${flag} <number>`, description).argParser(parseNumber(flag.replace(/^-\w, /, ''), range));
  return range.default === undefined ? option : option.default(range.default);
}

export const drainSecondsOption = (): Option =>
  rangeOption('--drain-seconds', drainSeconds, 'seconds to let running requests finish on shutdown');

export const logLevelOption = (): Option =>
  nameOption('--log-level', logLevels, 'log level; logs are JSON lines on standard error').default('info');

/** Resolves when the signal has fired. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
