/** The running build, for reports of problems. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { findPackage } from './package-root.ts';

export interface Build {
  readonly version: string;
  /** The commit that was compiled; null where it is not known, as for sources that run without compiling. */
  readonly commit: string | null;
  readonly platform: string;
  readonly node: string;
}

export function describeBuild(): Build {
  const { root, version } = findPackage();
  const record = join(root, 'dist', 'src', 'build.json');
  const isCompiled = import.meta.filename.endsWith('.js') && existsSync(record);
  const { commit } = isCompiled ? JSON.parse(readFileSync(record, 'utf8')) : { commit: null };
  return { version, commit, platform: `${process.platform}-${process.arch}`, node: process.version };
}
