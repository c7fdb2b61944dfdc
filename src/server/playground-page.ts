/**
 * The playground as the server hands it out: the files of `static/` as they are in the package, nothing built. A server
 * answers GET and HEAD of each path with `body` and `headers`, and never asks for the API key there: the page itself is
 * what asks the user for it.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { SvcError } from '../errors.ts';
import { findPackage } from '../package-root.ts';
import { contentSecurityPolicy } from './content-security-policy.ts';

export interface PlaygroundFile {
  readonly body: Buffer;
  /** Content-Type, ETag, Cache-Control, and what the browser may do with it. */
  readonly headers: Readonly<Record<string, string>>;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Compiled code lies elsewhere, so the files are found from the root of the package. */
const staticFolder = (): string => join(findPackage().root, 'src', 'web', 'playground');

/**
 * All files by their URL path: the page at `/`, the rest below `/playground/`.
 *
 * @throws SvcError INTERNAL when the installation lacks them.
 * @example
 * const playground = await loadPlayground();
 * const { body, headers } = playground.get('/');
 */
export async function loadPlayground(folder: string = staticFolder()): Promise<ReadonlyMap<string, PlaygroundFile>> {
  try {
    const names = (await readdir(folder)).filter((name) => extname(name) in contentTypes);
    const files = names.map(async (name) => [urlPath(name), await loadFile(folder, name)] as const);
    return new Map(await Promise.all(files));
  } catch (cause) {
    const received = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new SvcError('INTERNAL', `expected readable files in ${folder} for the playground, received ${received}`, {
      cause,
    });
  }
}

const urlPath = (name: string): string => (name === 'index.html' ? '/' : `/playground/${name}`);

async function loadFile(folder: string, name: string): Promise<PlaygroundFile> {
  const body = await readFile(join(folder, name));
  return {
    body,
    headers: {
      'Content-Type': contentTypes[extname(name)] as string,
      'Content-Security-Policy': contentSecurityPolicy("script-src 'self'"),
      'Permissions-Policy': 'microphone=(self)',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      // Asked for again each time, so that a new version of svc is seen at once.
      'Cache-Control': 'no-cache',
      ETag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    },
  };
}
