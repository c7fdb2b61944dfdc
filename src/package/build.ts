/** The running build, for reports of problems. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { findPackage } from './package-root.ts';

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
