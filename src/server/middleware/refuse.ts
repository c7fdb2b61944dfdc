/** Refuses requests beyond the capacity of this process before any other work, as clients may retry again and again. */
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { SvcError } from '../../errors.ts';
import type { ServerContext } from '../context/context.ts';
import { problemOf } from '../http/problem.ts';
import { type Operation, patternOf } from '../openapi/operation.ts';
import { sendProblem } from './failure.ts';

/** Interval of lines about refused requests in the log, in milliseconds. */
const logMilliseconds = 1_000;

export function refuseExcess(
  { queue, metrics, logger }: Pick<ServerContext, 'queue' | 'metrics' | 'logger'>,
  work: readonly Pick<Operation, 'method' | 'path' | 'errors'>[],
): RequestHandler {
  const patterns = work.map((operation) => ({
    ...operation,
    method: operation.method.toUpperCase(),
    pattern: patternOf(operation.path),
  }));
  const log = createCountLog(logger);
  return (request, response, next) => {
    const found = patterns.find(({ method, pattern }) => method === request.method && pattern.test(request.path));
    const seconds = found && queue.turnAway();
    if (seconds === undefined) return next();
    const error = new SvcError('QUEUE_FULL', 'the server is at capacity; retry later');
    const problem = problemOf(error, found?.errors);
    log();
    metrics.refused();
    metrics.request({ method: request.method, route: found?.path ?? 'none', status: String(problem.status) }, 0);
    response.set('Retry-After', String(seconds));
    sendProblem(response, problem);
  };
}

/** Counts refused requests and logs them together: a line for each would cost more than the refusal. */
function createCountLog(logger: Pick<Logger, 'warn'>): () => void {
  let requests = 0;
  return () => {
    requests += 1;
    if (requests > 1) return;
    setTimeout(() => {
      logger.warn({ requests }, 'refused requests: server at capacity');
      requests = 0;
    }, logMilliseconds).unref();
  };
}
