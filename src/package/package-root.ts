import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { SvcError } from '../errors.ts';

export interface Package {
  /** Folder of this package's `package.json`. */
  readonly root: string;
  readonly version: string;
  /** Version ranges of the packages that may be missing. */
  readonly optional: Readonly<Record<string, string>>;
}

/** Finds this package by walking up, because sources and compiled files have different depths. */
export function findPackage(start: string = dirname(fileURLToPath(import.meta.url))): Package {
  for (let folder = start; ; folder = dirname(folder)) {
    const { name, version = '0.0.0', ...manifest } = readManifest(join(folder, 'package.json'));
    if (name === 'voxcpm')
      return { root: folder, version, optional: { ...manifest.optionalDependencies, ...manifest.peerDependencies } };
    if (dirname(folder) === folder)
      throw new SvcError('INTERNAL', `no package.json of voxcpm above ${start}; reinstall voxcpm`);
  }
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function readManifest(path: string): Manifest {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  } catch {
    return {};
  }
}

/** With the commit that was compiled; null where it is not known, as for sources that run without compiling. */
export function describeBuild() {
  const { root, version } = findPackage();
  const record = join(root, 'dist', 'src', 'build.json');
  const isCompiled = import.meta.filename.endsWith('.js') && existsSync(record);
  const { commit }: { readonly commit: string | null } = isCompiled
    ? JSON.parse(readFileSync(record, 'utf8'))
    : { commit: null };
  return { version, commit, platform: `${process.platform}-${process.arch}`, node: process.version };
}
