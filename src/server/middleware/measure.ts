import type { RequestHandler } from 'express';
import type { Metrics } from '../../metrics/metrics.ts';

export function measureRequests(metrics: Metrics): RequestHandler {
  return (request, response, next) => {
    const arrived = performance.now();
    response.locals.arrived = arrived;
    response.once('close', () => {
      const route = typeof response.locals.route === 'string' ? response.locals.route : 'none';
      const status = response.writableFinished ? String(response.statusCode) : 'aborted';
      metrics.request({ method: request.method, route, status }, (performance.now() - arrived) / 1000);
    });
    next();
  };
}
