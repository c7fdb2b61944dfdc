import type { RequestHandler } from 'express';
import { noSpan, startSpan } from '../../tracing/span.ts';

export const traceRequests: RequestHandler = (request, response, next) => {
  const { method } = request;
  const span = startSpan(method, {
    kind: 'server',
    traceparent: request.get('traceparent'),
    attributes: { 'http.request.method': method },
  });
  if (span === noSpan) return next();
  response.locals.span = span;
  response.once('close', () => {
    const { route } = response.locals as { readonly route?: string };
    if (route !== undefined) span.rename(`${method} ${route}`);
    span.set({ 'http.route': route, 'http.response.status_code': response.statusCode });
    if (response.statusCode >= 500) span.set({ 'error.type': String(response.statusCode) });
    if (!response.writableFinished) span.set({ 'svc.aborted': true });
    span.end();
  });
  next();
};
