/** The Express application: everything but the socket. */
import { createHash } from 'node:crypto';
import cors from 'cors';
import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import { z } from 'zod';
import { watchLoras, watchModels, watchQueue } from '../metrics/metrics.ts';
import { findPackage } from '../package/package-root.ts';
import type { ServerContext } from './context/context.ts';
import type { ServerSettings } from './context/settings.ts';
import type { SocketRoute } from './context/sockets.ts';
import type { Dialect, Variant } from './dialects/dialect.ts';
import { allowsOrigin } from './http/cors-origins.ts';
import type { ErrorStyle, Problem } from './http/problem.ts';
import { mcpOperations, mcpSessionHeader } from './mcp/routes.ts';
import { authorize, authorizeKey, identify, limitRate, rateHeaders } from './middleware/authorize.ts';
import { guardAgainstPages } from './middleware/browser-guard.ts';
import { answerFailure, sendProblem } from './middleware/failure.ts';
import { logRequests } from './middleware/log.ts';
import { measureRequests } from './middleware/measure.ts';
import { refuseExcess } from './middleware/refuse.ts';
import { traceRequests } from './middleware/trace.ts';
import { createOpenApi } from './openapi/document.ts';
import { answering, type Operation, patternOf, route } from './openapi/operation.ts';
import { createLocalPage } from './pages/local-page.ts';
import { createDocsPage, createPlaygroundPage } from './pages/web-page.ts';
import { audioVoiceOperations } from './routes/audio-voices.ts';
import { dubOperation } from './routes/dub.ts';
import { loraOperations } from './routes/loras.ts';
import { modelOperations } from './routes/models.ts';
import { serviceOperations } from './routes/service.ts';
import { speechOperations } from './routes/speech.ts';
import { textOperation } from './routes/speech-text.ts';
import { voiceConsentOperations } from './routes/voice-consents.ts';
import { voiceOperations } from './routes/voices.ts';

/** Response headers that scripts of other origins may read. */
const exposedHeaders = [
  ...['X-Request-Id', 'X-Job-Id', 'X-Sample-Rate', 'X-Seed', 'Retry-After', 'Warning'],
  ...['Accept-Ranges', 'Content-Range'],
  ...rateHeaders,
  mcpSessionHeader,
];

/** @param dialects APIs beside the public one */
export function createApp(context: ServerContext, dialects: readonly Dialect[]): Express {
  const { settings, metrics, queue, logger } = context;
  watchQueue(metrics, queue);
  watchModels(metrics, context.models);
  watchLoras(metrics, context.loras);
  const operations = allOperations(context, dialects);
  const authorized = authorize(settings.findKey);
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.set('trust proxy', settings.trustProxy);
  app.use(joinSlashes);
  if (settings.corsOrigins.length > 0) app.use(allowOrigins(settings.corsOrigins));
  app.use(refuseExcess(context, operations.filter(isWork)));
  app.use(logRequests(logger), measureRequests(metrics), traceRequests, helmet(securityHeaders));
  app.use(recognize(dialects), identify(settings.findKey, keyHeadersOf(dialects)));
  app.use(['/playground', /^\/$/], mark('playground'));
  app.use(createPlaygroundPage());
  app.use('/docs', mark('/docs'), createDocsPage());
  const guard = guardAgainstPages(settings);
  if (context.localModels !== undefined) {
    app.use('/local', mark('local'), createLocalPage(context.localModels, guard));
  }
  app.use(guard);
  const keyed = authorizeKey(settings.findKey);
  const sockets = socketRoutes(context, dialects);
  for (const { path, errors, access, serve } of sockets) {
    app.get(path, mark(path, errors), access === 'message' ? keyed : authorized, context.sockets.accept(serve));
  }
  const limited = limitRate(context.rates);
  for (const operation of operations) {
    const { method, path, access, errors, handlers = [], handle = [] } = operation;
    const checks = [...(access === 'open' ? [] : [authorized]), ...(isWork(operation) ? [limited] : [])];
    app[method](path, mark(path, errors), ...checks, ...handlers, handle);
  }
  app.use(authorized, refuseUnknown(operations, sockets));
  app.use(answerFailure(context));
  return app;
}

/** A base URL that ends with a slash makes addresses such as `//v1/models`. */
const joinSlashes: RequestHandler = (request, _response, next) => {
  request.url = request.url.replace(/^\/{2,}/, '/');
  next();
};

const socketRoutes = (context: ServerContext, dialects: readonly Dialect[]): readonly SocketRoute[] =>
  dialects.flatMap(({ sockets, errors }) => (sockets?.(context) ?? []).map((route) => ({ errors, ...route })));

/** Without credentials, so that `*` is safe for a server with a key. */
const allowOrigins = (origins: readonly string[]): RequestHandler =>
  cors({
    origin: origins.includes('*')
      ? '*'
      : (origin, done) => done(null, origin !== undefined && allowsOrigin(origins, origin)),
    exposedHeaders,
    maxAge: 600,
  });

const withAccess = (operation: Operation, { lists }: ServerSettings): Operation =>
  operation.access === 'list' && lists === 'public' ? { ...operation, access: 'open' } : operation;

/** Whether the rate limits count it. */
const isWork = ({ method, isWork: stated = method === 'post' }: Operation): boolean => stated;

/** For JSON and audio, which need no permissions. Pages set policies of their own. */
const securityHeaders = {
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  // Left to the proxy: it would also bind other servers of the host.
  strictTransportSecurity: false,
} as const;

/** Those of the dialects first: their paths are more exact. */
function allOperations(context: ServerContext, dialects: readonly Dialect[]): readonly Operation[] {
  const { settings } = context;
  const foreign = dialects.flatMap(({ operations, errors }) =>
    (operations?.(context) ?? []).map((operation) => withAccess({ errors, ...operation }, settings)),
  );
  const own = [
    ...serviceOperations(context),
    ...modelOperations(context),
    ...loraOperations(context),
    ...speechOperations(context),
    textOperation(context),
    dubOperation(context),
    ...audioVoiceOperations(context),
    ...voiceConsentOperations(context),
    ...voiceOperations(context),
    ...mcpOperations(context),
  ].map((operation) => withAccess(withVariants(context, dialects, operation), settings));
  const access = settings.findKey === undefined ? 'open' : 'token';
  const describing: Operation[] = [];
  let document: { readonly bytes: Buffer; readonly tag: string } | undefined;
  // Written once, with its hash: either takes longer than most requests, and needs no key.
  const describe = () => {
    const about = { version: findPackage().version, access, keyHeaders: keyHeadersOf(dialects) } as const;
    document ??= tagged(Buffer.from(JSON.stringify(createOpenApi([...own, ...foreign, ...describing], about))));
    return document;
  };
  describing.push(
    {
      ...route('get', '/openapi.json', 'service', 'Get the OpenAPI document of this API.'),
      access: 'open',
      description: 'OpenAPI 3.1, for code generators and API clients. Requires no API key.',
      ...answering('The document.', z.any()),
      handle(_request, response) {
        const { bytes, tag } = describe();
        response.type('json').set('ETag', tag).send(bytes);
      },
    },
    {
      ...route('get', '/docs', 'service', 'Get the API reference as a web page.'),
      access: 'open',
      description: 'This page: all operations, with code samples and a way to send requests. Requires no API key.',
      answers: { 200: { description: 'The page.', contents: { 'text/html': z.any() } } },
      handle: createDocsPage(),
    },
  );
  return [...foreign, ...own, ...describing];
}

const tagged = (bytes: Buffer) => ({ bytes, tag: `"${createHash('sha256').update(bytes).digest('base64url')}"` });

const keyHeadersOf = (dialects: readonly Dialect[]): readonly string[] =>
  dialects.flatMap(({ errors }) => errors?.keyHeader ?? []);

/** Lets dialects answer their clients at an endpoint of the public API. */
function withVariants(context: ServerContext, dialects: readonly Dialect[], operation: Operation): Operation {
  return dialects.reduce((operation, { variants, errors }) => {
    const isHere = ({ method, path }: Variant): boolean => method === operation.method && path === operation.path;
    const variant = variants?.(context).find(isHere);
    const keyHeader = errors?.keyHeader;
    return variant && keyHeader ? withVariant(operation, variant, keyHeader) : operation;
  }, operation);
}

function withVariant(operation: Operation, { description, answer, answerWith }: Variant, keyHeader: string): Operation {
  const handler: RequestHandler = (request, response, next) =>
    request.get(keyHeader) === undefined ? next() : answerWith(request, response);
  const { 200: usual } = operation.answers;
  const json = 'application/json';
  const contents = answer && { [json]: z.union([usual?.contents?.[json] ?? z.never(), answer]) };
  return {
    ...operation,
    description: `${operation.description} ${description}`,
    answers: { ...operation.answers, ...(usual && { 200: { ...usual, ...(contents && { contents }) } }) },
    handlers: [handler, ...(operation.handlers ?? [])],
  };
}

/** Notes the errors that a client with the key header of a dialect gets. */
const recognize =
  (dialects: readonly Dialect[]): RequestHandler =>
  (request, response, next) => {
    const isTheirs = ({ errors }: Dialect) => errors?.keyHeader && request.get(errors.keyHeader) !== undefined;
    response.locals.errors = dialects.find(isTheirs)?.errors;
    next();
  };

/** Notes the route pattern, which keeps the labels of metrics few, and the errors of an endpoint. */
const mark =
  (route: string, errors?: ErrorStyle): RequestHandler =>
  (_request, { locals }, next) => {
    locals.route = route;
    if (errors !== undefined) locals.errors = errors;
    next();
  };

function refuseUnknown(operations: readonly Operation[], sockets: readonly SocketRoute[]): RequestHandler {
  const patterns = operations.map(({ method, path }) => ({ method: method.toUpperCase(), pattern: patternOf(path) }));
  const socketPatterns = sockets.map(({ path }) => patternOf(path));
  return (request, response) => {
    const send = (status: number, code: string, message: string, headers: Problem['headers'] = {}): void => {
      const { detail } = (response.locals.errors ?? {}) as ErrorStyle;
      const type = 'invalid_request_error';
      sendProblem(response, { status, message, type, code, headers, detail: detail?.(code, message) });
    };
    const allowed = patterns.filter(({ pattern }) => pattern.test(request.path)).map(({ method }) => method);
    const shown = JSON.stringify(request.path.slice(0, 100));
    if (request.method === 'GET' && socketPatterns.some((pattern) => pattern.test(request.path))) {
      const message = `GET ${shown} needs a WebSocket: connect a client for ws:// or wss://`;
      return send(426, 'upgrade_required', message, { Upgrade: 'websocket', Connection: 'Upgrade' });
    }
    if (allowed.length === 0) return send(404, 'not_found', `no such endpoint: ${request.method} ${shown}; see /docs`);
    const message = `${request.method} is not allowed for ${shown}; use ${allowed.join(' or ')}`;
    send(405, 'method_not_allowed', message, { Allow: allowed.join(', ') });
  };
}
