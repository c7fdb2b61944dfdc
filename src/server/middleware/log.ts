import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { type HttpLogger, pinoHttp } from 'pino-http';
import type { Problem } from '../problem.ts';

const acceptableId = /^[\w.:-]{1,100}$/;

/** Their messages have names of voices; the code says enough. */
const unexplained: readonly string[] = ['voice_not_found', 'voice_exists', 'conflict'];

/** Why a request was refused. What its client has sent is quoted in messages, and left out here. */
function refusalOf({ locals }: ServerResponse & { readonly locals?: { readonly problem?: Problem } }): object {
  if (locals?.problem === undefined) return {};
  const { code, message } = locals.problem;
  const reason = unexplained.includes(code) ? {} : { reason: message.replace(/"(?:[^"\\]|\\.)*"/g, '"…"') };
  return { code, ...reason };
}

/** One line a request. Texts, voices' names and tokens are in headers and bodies, of which nothing is logged. */
export const logRequests = (logger: Logger): HttpLogger =>
  pinoHttp({
    logger,
    genReqId: (request, response) => {
      const given = request.headers['x-request-id'];
      const id = typeof given === 'string' && acceptableId.test(given) ? given : randomUUID();
      response.setHeader('X-Request-Id', id);
      return id;
    },
    customProps: (_request, response) => refusalOf(response),
    customLogLevel: (_request, response, error) => {
      if (response.statusCode >= 500 && response.statusCode !== 503) return 'error';
      return error !== undefined || response.statusCode >= 400 ? 'warn' : 'info';
    },
    serializers: {
      req: ({
        id,
        method,
        url,
        remoteAddress,
      }: IncomingMessage & { readonly id: string; readonly remoteAddress: string }) => ({
        id,
        method,
        // What is to be said may stand in the query.
        path: url?.split('?')[0],
        remoteAddress,
      }),
      res: ({ statusCode }: { readonly statusCode: number }) => ({ statusCode }),
      err: ({ message }: Error) => ({ message }),
    },
  });
