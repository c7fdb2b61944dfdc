import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SvcError } from './errors.ts';

export interface Package {
  /** Folder of this package's `package.json`. */
  readonly root: string;
  readonly version: string;
}

/** This package as installed. Sources and compiled files lie at different depths, so it is found by walking up. */
export function findPackage(start: string = dirname(fileURLToPath(import.meta.url))): Package {
  for (let folder = start; ; folder = dirname(folder)) {
    const { name, version } = readManifest(join(folder, 'package.json'));
    if (name === 'svc') return { root: folder, version: version ?? '0.0.0' };
    if (dirname(folder) === folder) {
      throw new SvcError(
        'INTERNAL',
        `expected the package.json of svc above ${start} for the installation, received none`,
      );
    }
  }
}

function readManifest(path: string): { readonly name?: string; readonly version?: string } {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as { name?: string; version?: string };
  } catch {
    return {};
  }
}
