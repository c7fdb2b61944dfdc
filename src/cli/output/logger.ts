/** The log of `svc serve` and `svc worker` on standard error. */
import type { Logger } from 'pino';
import type { PrettyOptions } from 'pino-pretty';
import type { Io } from '../io.ts';
import type { LogOptions } from '../options/service-options.ts';
import { hasColor } from './messages.ts';
import { writeAbove } from './status-line.ts';

export interface ServiceLog {
  readonly logger: Logger;
  /** Announces that the service is ready: `sentence` for people, `fields` under `message` in JSON. */
  announce(sentence: string, fields: object, message: string): void;
}

export async function openLog({ logLevel, logFormat }: LogOptions, io: Io): Promise<ServiceLog> {
  const { stderr, environment } = io;
  const { pino } = await import('pino');
  const format = logFormat ?? (stderr.isTTY === true ? 'text' : 'json');
  const write = (line: string): void => writeAbove(stderr, line);
  if (format === 'json') {
    const logger = pino({ level: logLevel, base: null }, { write });
    return { logger, announce: (_sentence, fields, message) => logger.info(fields, message) };
  }
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({ ...layout, colorize: hasColor(stderr, environment) });
  const logger = pino({ level: logLevel, base: null }, { write: (line: string) => write(pretty(line)) });
  return { logger, announce: (sentence) => write(`${sentence}\n`) };
}

interface RequestEntry {
  readonly req?: { readonly method: string; readonly path: string };
  readonly res?: { readonly statusCode: number };
  readonly responseTime?: number;
}

/** One line per entry; for a request, its method, path, status and time instead of objects. */
const layout: PrettyOptions = {
  translateTime: 'SYS:HH:MM:ss',
  singleLine: true,
  ignore: 'req,res,responseTime',
  messageFormat(entry, messageKey) {
    const { req, res, responseTime } = entry as RequestEntry;
    if (req === undefined || res === undefined) return String(entry[messageKey] ?? '');
    return `${req.method} ${req.path} ${res.statusCode} (${Math.round(responseTime ?? 0)} ms)`;
  },
};
