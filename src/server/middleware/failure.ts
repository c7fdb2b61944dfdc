import { TLSSocket } from 'node:tls';
import type { ErrorRequestHandler, Response } from 'express';
import { messageOf, type SvcError, toSvcError } from '../../errors.ts';
import type { ServerContext } from '../context/context.ts';
import { explainBodyError } from '../http/body-failure.ts';
import { bodyOf, type ErrorStyle, exhaustionOf, type Problem, problemOf } from '../http/problem.ts';

/** Retry-After while a broker, worker, database or memory is unavailable; a guess. */
const unavailableSeconds = 5;

/** The last handler: answers errors. An answer that has begun ends with an event, or a reset of the connection. */
export function answerFailure(context: ServerContext): ErrorRequestHandler {
  const { queue, settings } = context;
  return (thrown: unknown, request, response, _next) => {
    const error = toSvcError(explainBodyError(thrown, settings.limits));
    const style = response.locals.errors as ErrorStyle | undefined;
    const problem = problemOf(error, style, request.method === 'GET' ? 'query' : 'body');
    reportFailure(context, error, { requestId: String(request.id), status: problem.status, isGone: response.closed });
    if (response.headersSent) {
      response.locals.problem = problem;
      return endAnswer(response, problem);
    }
    if ((problem.status === 503 || problem.status === 429) && !response.hasHeader('Retry-After')) {
      const isBusy = error.code === 'QUEUE_FULL' || error.code === 'RATE_LIMITED';
      response.set('Retry-After', String(isBusy ? queue.retryAfter : unavailableSeconds));
    }
    sendProblem(response, problem);
  };
}

interface FailedRequest {
  readonly requestId: string;
  readonly status: number;
  readonly isGone: boolean;
}

export function reportFailure(
  { metrics, logger }: Pick<ServerContext, 'metrics' | 'logger'>,
  error: SvcError,
  { requestId, status, isGone }: FailedRequest,
): void {
  const details = { requestId, code: error.code, reason: error.message };
  const [lack] = exhaustionOf(error) ?? [];
  if (lack !== undefined) logger.error({ ...details, remedy: remedies[lack] }, 'the machine has run out of a resource');
  else if (status === 500) logger.error({ ...details, stack: error.stack }, 'request failed');
  else if (error.code === 'BACKEND_UNAVAILABLE')
    logger.warn({ ...details, cause: causeOf(error) }, 'backend unavailable');
  // Clients don't see its address.
  else if (error.code === 'NETWORK') logger.warn(details, 'a service that this server uses failed');
  // The request has already been logged.
  else if (isGone) logger.debug(details, 'client disconnected');
  if (error.code === 'QUEUE_FULL') metrics.refused();
}

const remedies: Readonly<Record<string, string>> = {
  disk_full: 'free space on the disk',
  too_many_open_files:
    'raise the limit of open files (ulimit -n, or LimitNOFILE of a systemd unit), or lower --max-connections',
};

const causeOf = ({ cause }: Error): string | undefined => (cause === undefined ? undefined : messageOf(cause));

export function sendProblem(response: Response, problem: Problem): void {
  // For the request's line in the log.
  response.locals.problem = problem;
  response
    .status(problem.status)
    .set({ 'Cache-Control': 'no-store', ...problem.headers })
    .json(bodyOf(problem));
}

/** Time limit for a client to read the last event, in milliseconds. */
const lastMilliseconds = 10_000;

function endAnswer(response: Response, problem: Problem): void {
  if (response.socket === null || response.writableFinished) return;
  const describe = response.locals.failureEvent as ((problem: Problem) => string) | undefined;
  if (describe === undefined) {
    // No client can mistake a reset for the end of the answer, not even one that ignores chunks. A TLS connection can't be
    // reset; it ends without the message that closes it properly.
    if (response.socket instanceof TLSSocket) response.socket.destroy();
    else response.socket.resetAndDestroy();
    return;
  }
  response.end(describe(problem));
  response.setTimeout(lastMilliseconds, () => response.destroy());
}
