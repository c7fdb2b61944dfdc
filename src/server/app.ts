/** The Express application: everything but the socket. */
import { createHash } from 'node:crypto';
import cors from 'cors';
import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import { z } from 'zod';
import { watchLoras, watchModels, watchQueue } from '../metrics/metrics.ts';
import { findPackage } from '../package/package-root.ts';
import type { ServerContext } from './context.ts';
import { elevenlabsOperations } from './dialects/elevenlabs/routes.ts';
import { elevenlabsSockets } from './dialects/elevenlabs/sockets.ts';
import { captionedOperations } from './dialects/kokoro/captioned.ts';
import { dialogueOperation } from './dialects/kokoro/dialogue.ts';
import { nanoVllmOperations } from './dialects/nano-vllm/generate.ts';
import { speachesVoicesOperation } from './dialects/speaches/voices.ts';
import { batchOperation } from './dialects/vllm-omni/batch.ts';
import { speechStream } from './dialects/vllm-omni/speech-stream.ts';
import { ttsOperations } from './dialects/voxcpm-onnx/tts.ts';
import { synthesisOperation } from './dialects/voxcpm2-api/speech.ts';
import { synthesisStream } from './dialects/voxcpm2-api/stream.ts';
import { allowsOrigin } from './http/cors-origins.ts';
import {
  authorize,
  authorizeKey,
  elevenlabsKeyHeader,
  identify,
  limitRate,
  rateHeaders,
} from './http/middleware/authorize.ts';
import { limitUploads } from './http/middleware/bodies.ts';
import { guardAgainstPages } from './http/middleware/browser-guard.ts';
import { answerFailure, sendProblem } from './http/middleware/failure.ts';
import { logRequests } from './http/middleware/log.ts';
import { measureRequests } from './http/middleware/measure.ts';
import { refuseExcess } from './http/middleware/refuse.ts';
import { traceRequests } from './http/middleware/trace.ts';
import { type Operation, patternOf } from './http/operation.ts';
import type { Dialect, Problem } from './http/problem.ts';
import type { SocketRoute } from './live/sockets.ts';
import { mcpOperations, mcpPath, mcpSessionHeader } from './mcp/routes.ts';
import { createOpenApi } from './openapi/document.ts';
import { createDocsPage } from './pages/docs-page.ts';
import { createLocalPage } from './pages/local-page.ts';
import { createPlaygroundPage } from './pages/playground-page.ts';
import { audioVoiceOperations } from './routes/audio-voices.ts';
import { dubOperations } from './routes/dub.ts';
import { loraOperations } from './routes/loras.ts';
import { modelOperations } from './routes/models.ts';
import { serviceOperations } from './routes/service.ts';
import { speechOperations } from './routes/speech.ts';
import { textOperation } from './routes/speech-text.ts';
import { voiceConsentOperations } from './routes/voice-consents.ts';
import { voiceOperations } from './routes/voices.ts';
import type { ServerSettings } from './settings.ts';

/** Response headers that scripts of other origins may read. */
const exposedHeaders = [
  ...['X-Request-Id', 'X-Job-Id', 'X-Sample-Rate', 'X-Seed', 'Retry-After', 'Warning'],
  ...['Accept-Ranges', 'Content-Range'],
  ...rateHeaders,
  mcpSessionHeader,
];

export function createApp(context: ServerContext): Express {
  const { settings, metrics, queue, logger } = context;
  watchQueue(metrics, queue);
  watchModels(metrics, context.models);
  watchLoras(metrics, context.loras);
  const operations = allOperations(context);
  const authorized = authorize(settings.findKey);
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.set('trust proxy', settings.trustProxy);
  app.use(joinSlashes);
  if (settings.corsOrigins.length > 0) app.use(allowOrigins(settings.corsOrigins));
  app.use(refuseExcess(context, operations.filter(isWork)));
  app.use(logRequests(logger), measureRequests(metrics), traceRequests, helmet(securityHeaders));
  app.use(identify(settings.findKey));
  app.use(['/playground', /^\/$/], mark('playground'));
  app.use(createPlaygroundPage());
  app.use('/docs', mark('/docs'), createDocsPage());
  const guard = guardAgainstPages(settings);
  if (context.localModels !== undefined) {
    app.use('/local', mark('local'), createLocalPage(context.localModels, guard));
  }
  app.use(guard);
  const keyed = authorizeKey(settings.findKey);
  const sockets = socketRoutes(context);
  for (const { path, dialect, access, serve } of sockets) {
    app.get(path, mark(path, dialect), access === 'message' ? keyed : authorized, context.sockets.accept(serve));
  }
  const limited = limitRate(context.rates);
  for (const operation of operations) {
    const { method, path, access, dialect, handlers } = operation;
    const checks = [...(access === 'open' ? [] : [authorized]), ...(isWork(operation) ? [limited] : [])];
    app[method](path, mark(path, dialect), ...checks, ...handlers);
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

const socketRoutes = (context: ServerContext): readonly SocketRoute[] => [
  speechStream(context),
  synthesisStream(context),
  ...elevenlabsSockets(context),
];

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

/** Requests that don't compute, and those whose parts count themselves: items, and calls of tools. */
const countedElsewhere: readonly string[] = ['/v1/audio/speech/cancel', '/v1/audio/speech/batch', mcpPath];

/** Whether the rate limits count it: requests that compute. */
const isWork = ({ method, path }: Operation): boolean =>
  path === '/tts' || (method === 'post' && !countedElsewhere.includes(path));

/** For JSON and audio, which need no permissions. Pages set policies of their own. */
const securityHeaders = {
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  // Left to the proxy: it would also bind other servers of the host.
  strictTransportSecurity: false,
} as const;

function allOperations(context: ServerContext): readonly Operation[] {
  const uploads = limitUploads();
  const { settings } = context;
  const served = [
    ...serviceOperations(context),
    ...modelOperations(context),
    ...loraOperations(context),
    ...speechOperations(context, uploads),
    textOperation(context, uploads),
    batchOperation(context, uploads),
    ...dubOperations(context, uploads),
    ...captionedOperations(context, uploads),
    dialogueOperation(context, uploads),
    synthesisOperation(context, uploads),
    speachesVoicesOperation(context),
    ...elevenlabsOperations(context),
    ...nanoVllmOperations(context, uploads),
    ...ttsOperations(context, uploads),
    ...audioVoiceOperations(context, uploads),
    ...voiceConsentOperations(context, uploads),
    ...voiceOperations(context, uploads),
    ...mcpOperations(context, uploads),
  ].map((operation) => withAccess(operation, settings));
  const access = settings.findKey === undefined ? 'open' : 'token';
  const describing: Operation[] = [];
  const open = { method: 'get', tag: 'service', access: 'open' } as const;
  let document: { readonly bytes: Buffer; readonly tag: string } | undefined;
  // Written once, with its hash: either takes longer than most requests, and needs no key.
  const describe = () => {
    const written = () =>
      Buffer.from(
        JSON.stringify(createOpenApi([...served, ...describing], { version: findPackage().version, access })),
      );
    document ??= tagged(written());
    return document;
  };
  describing.push(
    {
      ...open,
      path: '/openapi.json',
      summary: 'Get the OpenAPI document of this API.',
      description: 'OpenAPI 3.1, for code generators and API clients. Requires no API key.',
      answers: { 200: { description: 'The document.', contents: { 'application/json': z.any() } } },
      handlers: [
        (_request, response) => {
          const { bytes, tag } = describe();
          response.type('json').set('ETag', tag).send(bytes);
        },
      ],
    },
    {
      ...open,
      path: '/docs',
      summary: 'Get the API reference as a web page.',
      description: 'This page: all operations, with code samples and a way to send requests. Requires no API key.',
      answers: { 200: { description: 'The page.', contents: { 'text/html': z.any() } } },
      handlers: [createDocsPage()],
    },
  );
  return [...served, ...describing];
}

const tagged = (bytes: Buffer) => ({ bytes, tag: `"${createHash('sha256').update(bytes).digest('base64url')}"` });

/** Notes the route pattern, which keeps the labels of metrics few, and the dialect for errors. */
const mark =
  (route: string, dialect?: Dialect): RequestHandler =>
  (request, response, next) => {
    const isElevenlabs = request.get(elevenlabsKeyHeader) !== undefined;
    const used: Dialect | undefined = dialect ?? (isElevenlabs ? 'elevenlabs' : undefined);
    Object.assign(response.locals, { route, dialect: used });
    next();
  };

function refuseUnknown(operations: readonly Operation[], sockets: readonly SocketRoute[]): RequestHandler {
  const patterns = operations.map(({ method, path }) => ({ method: method.toUpperCase(), pattern: patternOf(path) }));
  const socketPatterns = sockets.map(({ path }) => patternOf(path));
  return (request, response) => {
    const send = (problem: Problem): void => {
      const { code: status, message } = problem;
      const isElevenlabs = request.get(elevenlabsKeyHeader) !== undefined;
      sendProblem(response, isElevenlabs ? { ...problem, detail: { status, message } } : problem);
    };
    const allowed = patterns.filter(({ pattern }) => pattern.test(request.path)).map(({ method }) => method);
    const shown = JSON.stringify(request.path.slice(0, 100));
    if (request.method === 'GET' && socketPatterns.some((pattern) => pattern.test(request.path))) {
      const message = `GET ${shown} needs a WebSocket: connect a client for ws:// or wss://`;
      const headers = { Upgrade: 'websocket', Connection: 'Upgrade' };
      return send({
        status: 426,
        message,
        type: 'invalid_request_error',
        code: 'upgrade_required',
        headers,
      });
    }
    if (allowed.length === 0) {
      const message = `no such endpoint: ${request.method} ${shown}; see /docs`;
      return send({ status: 404, message, type: 'invalid_request_error', code: 'not_found' });
    }
    const message = `${request.method} is not allowed for ${shown}; use ${allowed.join(' or ')}`;
    const headers = { Allow: allowed.join(', ') };
    send({ status: 405, message, type: 'invalid_request_error', code: 'method_not_allowed', headers });
  };
}
