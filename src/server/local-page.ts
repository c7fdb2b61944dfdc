/**
 * The page that speaks in the browser, at `/local/`: what `npm run build` made of `src/web/local`, and the ONNX models that
 * are offered to it. Both are for everyone who reaches the server; the page asks for no key because it asks for no speech.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import express, { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express';
import { manifestName } from '../engine/backends/onnx/manifest.ts';
import { SvcError } from '../errors.ts';
import { findPackage } from '../package-root.ts';
import { contentSecurityPolicy } from './content-security-policy.ts';

/** A folder of `svc export --format onnx` that browsers may have. */
export interface LocalModel {
  /** In addresses and for users. */
  readonly name: string;
  /** The folder, made when it is first asked for. */
  folder(): Promise<string>;
}

/** Compiled code lies elsewhere, so the files are found from the root of the package. */
const builtFolder = (): string => join(findPackage().root, 'dist', 'local');

const headers: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy("script-src 'self' 'wasm-unsafe-eval'", "worker-src 'self'"),
  // Isolated pages may share memory, which threads of WebAssembly need.
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Permissions-Policy': 'microphone=(self)',
  'Referrer-Policy': 'no-referrer',
  // Asked for again each time, so that a new version of svc is seen at once.
  'Cache-Control': 'no-cache',
};

const webAssembly = /^\/(?:ort\/)?[\w-][\w.-]*\.wasm$/;
const modelFile = /^\/[\w-][\w.-]*\.(onnx|onnx\.data|json)$/;

/**
 * A router for `/local`.
 *
 * @param guard stands before the models: other pages' scripts may not make this server export one
 * @throws SvcError from its handlers: MODEL_NOT_FOUND for a model that is not offered, INTERNAL for a page that was never built
 */
export function createLocalPage(
  models: readonly LocalModel[],
  guard: RequestHandler,
  folder: string = builtFolder(),
): Router {
  const router = Router({ strict: true });
  const setHeaders = (response: Response): void => void response.set(headers);
  router.get('/models.json', guard, (_request, response) => {
    const offered = models.map(({ name }) => ({ name, address: `models/${encodeURIComponent(name)}/` }));
    response.set(headers).json({ models: offered, playground: '../' });
  });
  router.get('/models/:name/:file', guard, async (request, response) => {
    const [name, file] = [String(request.params.name), String(request.params.file)];
    const model = models.find((candidate) => candidate.name === name);
    if (model === undefined || !modelFile.test(`/${file}`)) {
      throw new SvcError('MODEL_NOT_FOUND', `expected a file of ${listNames(models)}, received ${shown(name, file)}`);
    }
    const root = await model.folder();
    response.set(headers).sendFile(file, { root, etag: true, lastModified: true, cacheControl: false });
  });
  router.get(webAssembly, (request, response, next) => sendCompressed(folder, request, response, next));
  router.use(express.static(folder, { redirect: true, cacheControl: false, setHeaders }));
  router.get('/', async () => {
    await stat(join(folder, 'index.html')).catch((cause: unknown) => {
      throw new SvcError(
        'INTERNAL',
        `expected the built page in ${folder}, received none; build it with: npm run build`,
        {
          cause,
        },
      );
    });
  });
  return router;
}

/** `npm run prepare` leaves WebAssembly compressed. Every browser takes it so; for others it is unpacked on the way. */
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

const listNames = (models: readonly LocalModel[]): string =>
  models.length === 0 ? `no model (${manifestName})` : models.map(({ name }) => name).join(' or ');

const shown = (name: string, file: string): string => JSON.stringify(`${name}/${file}`.slice(0, 100));
