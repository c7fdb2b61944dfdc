import type { ErrorRequestHandler, Response } from 'express';
import { toSvcError } from '../../errors.ts';
import type { ServerContext } from '../context.ts';
import { bodyOf, type Problem, problemOf } from '../problem.ts';

/** When to ask again for what is not there now: a broker, a worker, a database, memory. Nobody knows when it will be. */
const awaySeconds = 5;

/** The last handler: whatever was thrown becomes an answer, or, when one has begun, a broken connection. */
export function answerFailure({ metrics, queue, logger }: ServerContext): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
    const problem = problemOf(thrown);
    const error = toSvcError(thrown);
    const details = { requestId: request.id, code: error.code, reason: error.message };
    if (problem.status === 500)
      logger.error({ ...details, stack: thrown instanceof Error ? thrown.stack : undefined }, 'failed');
    else if (error.code === 'BACKEND_UNAVAILABLE') logger.warn(details, 'unavailable');
    else logger.debug(details, 'refused');
    if (error.code === 'QUEUE_FULL') metrics.refused();
    if (response.headersSent) return breakOff(response);
    if (problem.status === 503) {
      response.set('Retry-After', String(error.code === 'QUEUE_FULL' ? queue.retryAfter : awaySeconds));
    }
    sendProblem(response, problem);
  };
}

export function sendProblem(response: Response, problem: Problem): void {
  response
    .status(problem.status)
    .set({ 'Cache-Control': 'no-store', ...problem.headers })
    .json(bodyOf(problem));
}

/** A reset, which no client can take for the end of the answer, not even one that knows no chunks. */
function breakOff(response: Response): void {
  if (response.socket === null || response.writableFinished) return;
  response.socket.resetAndDestroy();
}
