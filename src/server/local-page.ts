/**
 * Speech in the browser at `/local/`: the page that `npm run build` makes from `src/web/local`, and the ONNX models
 * offered to it. Open without an API key, since the server computes nothing.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import express, { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express';
import { SvcError } from '../errors.ts';
import { findPackage } from '../package-root.ts';
import { contentSecurityPolicy } from './content-security-policy.ts';

/** An output folder of `svc export --format onnx` that browsers may download. */
export interface LocalModel {
  /** In URLs and for users. */
  readonly name: string;
  /** Path of the folder, exported on first use. */
  folder(): Promise<string>;
}

/** Relative to the package root, since compiled code is in another folder. */
const builtFolder = (): string => join(findPackage().root, 'dist', 'local');

const headers: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy("script-src 'self' 'wasm-unsafe-eval'", "worker-src 'self'"),
  // Only isolated pages may share memory, which WebAssembly threads need.
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Permissions-Policy': 'microphone=(self)',
  'Referrer-Policy': 'no-referrer',
  // Revalidated on each load, so that an update of svc shows at once.
  'Cache-Control': 'no-cache',
};

const webAssembly = /^\/(?:ort\/)?[\w-][\w.-]*\.wasm$/;
const modelFile = /^\/[\w-][\w.-]*\.(onnx|onnx\.data|json)$/;

/**
 * Router for `/local`.
 *
 * @param guard protects the models: scripts of other pages must not make this server export one
 * @throws SvcError from its handlers: MODEL_NOT_FOUND for an unknown model, INTERNAL when the page was not built
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
      throw new SvcError('MODEL_NOT_FOUND', `unknown model file ${shown(name, file)} (models: ${listNames(models)})`);
    }
    const root = await model.folder();
    response.set(headers).sendFile(file, { root, etag: true, lastModified: true, cacheControl: false });
  });
  router.get(webAssembly, (request, response, next) => sendCompressed(folder, request, response, next));
  router.use(express.static(folder, { redirect: true, cacheControl: false, setHeaders }));
  router.get('/', async () => {
    await stat(join(folder, 'index.html')).catch((cause: unknown) => {
      throw new SvcError('INTERNAL', `no page in ${folder}; build it with: npm run build`, { cause });
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
  models.length === 0 ? 'none' : models.map(({ name }) => name).join(', ');

const shown = (name: string, file: string): string => JSON.stringify(`${name}/${file}`.slice(0, 100));
