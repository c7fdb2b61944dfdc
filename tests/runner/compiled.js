/** Where `compile.js` puts the compiled sources. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
export const compiledFolder = join(root, '.cache', 'compiled');

/** The compiled file of a source, such as `src/cli/main.ts`; undefined if it is not compiled. */
export function findCompiled(source) {
  const path = join(compiledFolder, source.replace(/\.ts$/, '.js'));
  return existsSync(path) ? path : undefined;
}
