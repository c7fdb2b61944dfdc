import type { ErrorRequestHandler, Response } from 'express';
import { messageOf, toSvcError } from '../../errors.ts';
import { explainBodyError } from '../body-failure.ts';
import type { ServerContext } from '../context.ts';
import { bodyOf, type Dialect, type Problem, problemOf } from '../problem.ts';

/** When to ask again for what is not there now: a broker, a worker, a database, memory. Nobody knows when it will be. */
const awaySeconds = 5;

/**
 * The last handler: whatever was thrown becomes an answer, or, when one has begun, its end: by an event where the
 * answer is one of events, else by a broken connection.
 */
export function answerFailure({ metrics, queue, logger, settings }: ServerContext): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
    const error = toSvcError(explainBodyError(thrown, settings.limits));
    const problem = problemOf(error, {
      dialect: response.locals.dialect as Dialect | undefined,
      place: request.method === 'GET' ? 'query' : 'body',
    });
    const details = { requestId: request.id, code: error.code, reason: error.message };
    if (problem.status === 500)
      logger.error({ ...details, stack: thrown instanceof Error ? thrown.stack : undefined }, 'failed');
    else if (error.code === 'BACKEND_UNAVAILABLE') logger.warn({ ...details, cause: causeOf(error) }, 'unavailable');
    // The line of the request has been written by now.
    else if (response.closed) logger.debug(details, 'gone');
    if (error.code === 'QUEUE_FULL') metrics.refused();
    if (response.headersSent) {
      response.locals.problem = problem;
      return endAnswer(response, problem);
    }
    if (problem.status === 503 || problem.status === 429) {
      response.set('Retry-After', String(error.code === 'QUEUE_FULL' ? queue.retryAfter : awaySeconds));
    }
    sendProblem(response, problem);
  };
}

const causeOf = ({ cause }: Error): string | undefined => (cause === undefined ? undefined : messageOf(cause));

export function sendProblem(response: Response, problem: Problem): void {
  // For the log, which has one line a request.
  response.locals.problem = problem;
  response
    .status(problem.status)
    .set({ 'Cache-Control': 'no-store', ...problem.headers })
    .json(bodyOf(problem));
}

/** How long a client may take to read the last event, in milliseconds; the work for it is over. */
const lastMilliseconds = 10_000;

function endAnswer(response: Response, problem: Problem): void {
  if (response.socket === null || response.writableFinished) return;
  const describe = response.locals.failureEvent as ((problem: Problem) => string) | undefined;
  if (describe === undefined) {
    // A reset, which no client can take for the end of the answer, not even one that knows no chunks.
    response.socket.resetAndDestroy();
    return;
  }
  response.end(describe(problem));
  response.setTimeout(lastMilliseconds, () => response.destroy());
}
