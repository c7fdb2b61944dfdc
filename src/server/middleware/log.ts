import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import type { Logger } from 'pino';
import { type HttpLogger, pinoHttp } from 'pino-http';
import type { ApiKey } from '../http/api-keys.ts';
import { clientAddress } from '../http/client-address.ts';
import type { Problem } from '../http/problem.ts';

const acceptableId = /^[\w.:-]{1,100}$/;

/** Values that the client sent, quoted or after `got`, sample rates, and names of voices. */
const values = /(?<=\(available: )[^;)]+|"(?:[^"\\]|\\.)*"|(?<=, got )[^";]+|(?<=does not support )\d+/g;

/** Names of voices in paths, but not the words of routes that stand in their places. */
const voiceInPath = /(\/(?:voices|text-to-speech)\/)(?!(?:add|settings|default)(?:\/|$))[^/]+/;

/** The path of a request as the log shows it: the query may contain the text to speak. */
export const loggedPath = (url = ''): string => (url.split('?')[0] ?? '').replace(voiceInPath, '$1…');

interface Answered extends ServerResponse {
  readonly locals?: { readonly problem?: Problem; readonly key?: ApiKey };
}

const clientOf = ({ locals }: Answered): object => (locals?.key === undefined ? {} : { key: locals.key.name });

/** Why a request was refused, without the values that the client sent. */
function refusalOf({ locals }: Answered): object {
  if (locals?.problem === undefined) return {};
  const { code, message } = locals.problem;
  return { code, reason: message.replace(values, (value) => (value.startsWith('"') ? '"…"' : '…')) };
}

/** Logs one line per request, without headers and bodies, which contain texts, voice names and API keys. */
export const logRequests = (logger: Logger): HttpLogger =>
  pinoHttp({
    logger,
    genReqId: (request, response) => {
      const given = request.headers['x-request-id'];
      const id = typeof given === 'string' && acceptableId.test(given) ? given : randomUUID();
      response.setHeader('X-Request-Id', id);
      return id;
    },
    customProps: (_request, response) => ({ ...clientOf(response), ...refusalOf(response) }),
    customLogLevel: (_request, response, error) => {
      if (response.statusCode >= 500 && response.statusCode !== 503) return 'error';
      return error !== undefined || response.statusCode >= 400 ? 'warn' : 'info';
    },
    serializers: {
      req: ({ id, method, url, raw }: IncomingMessage & { readonly id: string; readonly raw: Request }) => ({
        id,
        method,
        path: loggedPath(url),
        remoteAddress: clientAddress(raw),
      }),
      res: ({ statusCode }: { readonly statusCode: number }) => ({ statusCode }),
      err: ({ message }: Error) => ({ message }),
    },
  });
