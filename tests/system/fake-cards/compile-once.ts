/** Compiles a library of C++ for tests, which several files and later runs share. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const cache = join(process.cwd(), '.cache', 'libraries');

interface Settings {
  readonly options: readonly string[];
  /** A folder of headers. */
  readonly headers?: string;
}

/** @returns the compiled library, which others use too: copy it, don't change it */
export function compileOnce(source: string, { options, headers }: Settings): string {
  const hash = createHash('sha256')
    .update(execFileSync('g++', ['--version']))
    .update(JSON.stringify(options));
  const included = headers === undefined ? [] : readdirSync(headers).map((name) => join(headers, name));
  for (const path of [source, ...included]) hash.update(readFileSync(path));
  const library = join(cache, `${hash.digest('hex').slice(0, 16)}.so`);
  if (existsSync(library)) return library;
  mkdirSync(dirname(library), { recursive: true });
  const folder = mkdtempSync(join(cache, 'compiling-'));
  try {
    const including = headers === undefined ? [] : ['-I', headers];
    const output = join(folder, 'library.so');
    execFileSync('g++', ['-std=c++20', '-O1', '-shared', '-fPIC', ...including, source, ...options, '-o', output], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    renameSync(output, library);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return library;
}
