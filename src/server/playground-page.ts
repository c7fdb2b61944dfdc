/** Loads the playground's files, which are served unbuilt and without an API key; the page asks the user for it. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { SvcError } from '../errors.ts';
import { reasonOf } from '../files.ts';
import { findPackage } from '../package-root.ts';
import { contentSecurityPolicy } from './content-security-policy.ts';

export interface PlaygroundFile {
  readonly body: Buffer;
  /** Content-Type, ETag, Cache-Control and security policies. */
  readonly headers: Readonly<Record<string, string>>;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Relative to the package root, since compiled code is in another folder. */
const staticFolder = (): string => join(findPackage().root, 'src', 'web', 'playground');

/**
 * All files by URL path: the page at `/`, the rest under `/playground/`.
 *
 * @throws SvcError INTERNAL when files are missing
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
    throw new SvcError('INTERNAL', `cannot read the playground in ${folder}: ${reasonOf(cause)}`, { cause });
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
      // Revalidated on each load, so that an update of svc shows at once.
      'Cache-Control': 'no-cache',
      ETag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    },
  };
}
