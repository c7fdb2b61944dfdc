/**
 * The page that runs a model in the browser, at `/local/`, the ONNX models that it offers, and the preset voices. Everyone
 * who reaches the server gets them without an API key, because the server computes nothing.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express';
import { SvcError } from '../../errors.ts';
import { describePresets, listPresets } from '../../voices/recorded-voices.ts';
import { builtPage, pageHeaders, sendPage, sendPageFiles } from './web-page.ts';

/** A folder of `svc export --format onnx` that browsers may download. */
export interface LocalModel {
  readonly name: string;
  /** Returns the folder; makes it on the first call. */
  folder(): Promise<string>;
}

const headers: Readonly<Record<string, string>> = {
  ...pageHeaders({ 'script-src': "'self' 'wasm-unsafe-eval'", 'worker-src': "'self'" }),
  // Isolated pages may share memory, which threads of WebAssembly need.
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

const webAssembly = /^\/(?:ort\/)?[\w-][\w.-]*\.wasm$/;
const modelFile = /^\/[\w-][\w.-]*\.(onnx|onnx\.data|json)$/;

/** A router for `/local`. @param guard protects the models: other sites' scripts must not make this server export one */
export function createLocalPage(
  models: readonly LocalModel[],
  guard: RequestHandler,
  folder: string = builtPage('local'),
): Router {
  const router = Router({ strict: true });
  router.get('/models.json', guard, (_request, response) => {
    const offered = models.map(({ name }) => ({ name, address: `models/${encodeURIComponent(name)}/` }));
    response.set(headers).json({ models: offered, playground: '../' });
  });
  router.get('/models/:name/:file', guard, async (request, response) => {
    const [name, file] = [String(request.params.name), String(request.params.file)];
    const model = models.find((candidate) => candidate.name === name);
    if (model === undefined || !modelFile.test(`/${file}`)) {
      const available = models.map((offered) => offered.name).join(', ') || 'none';
      const shown = JSON.stringify(`${name}/${file}`.slice(0, 100));
      throw new SvcError('MODEL_NOT_FOUND', `no file ${shown} for browsers (available: ${available})`);
    }
    const root = await model.folder();
    response.set(headers).sendFile(file, { root, etag: true, lastModified: true, cacheControl: false });
  });
  router.get('/voices.json', guard, async (_request, response) => {
    response.set(headers).json(await describePresets());
  });
  router.get('/voices/:file', guard, async (request, response, next) => {
    const voice = (await listPresets()).find(({ audio }) => basename(audio) === request.params.file);
    if (voice === undefined) return next();
    response.set(headers).sendFile(basename(voice.audio), { root: dirname(voice.audio), cacheControl: false });
  });
  router.get('/', (request, response, next) => {
    // URLs in the page are relative to it.
    const [path = '', ...query] = request.originalUrl.split(/(?=\?)/);
    if (path.endsWith('/')) next();
    else response.redirect(301, `${path}/${query.join('')}`);
  });
  router.get('/', sendPage(folder, headers));
  router.get(webAssembly, (request, response, next) => sendCompressed(folder, request, response, next));
  router.use(sendPageFiles(folder, headers));
  return router;
}

/** `npm run prepare` compresses WebAssembly; for clients that do not accept gzip it is unpacked on the way. */
async function sendCompressed(folder: string, request: Request, response: Response, next: NextFunction): Promise<void> {
  const file = `${request.path.slice(1)}.gz`;
  const found = await stat(join(folder, file)).catch(() => undefined);
  if (found === undefined) return next();
  response.set(headers).type('application/wasm').vary('Accept-Encoding');
  if (request.acceptsEncodings('gzip')) {
    response.set('Content-Encoding', 'gzip');
    return response.sendFile(file, { root: folder, acceptRanges: false, cacheControl: false });
  }
  await pipeline(createReadStream(join(folder, file)), createGunzip(), response);
}
