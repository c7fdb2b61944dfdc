import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { findPackage } from './package-root.ts';
import { shellWord } from './shell-word.ts';

/**
 * The command that installs packages where svc finds them: beside a global installation, in the project that depends on
 * it, or in a clone. It works in any folder. Scripts are off: no package needs them, and some download a lot.
 *
 * @param specifiers names, with `@version` where it matters, separated by spaces
 * @param root folder of this package's `package.json`
 */
export function installCommand(specifiers: string, root: string = findPackage().root): string {
  const modules = dirname(root);
  const place =
    basename(modules) === 'node_modules' ? placeOf(dirname(modules)) : `--no-save --prefix ${shellWord(root)}`;
  return `npm install ${place} --ignore-scripts ${specifiers}`;
}

/** @param folder of the `node_modules` that contains svc; that of global packages has no `package.json` */
function placeOf(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return `--prefix ${shellWord(folder)}`;
  return `--global --prefix ${shellWord(process.platform === 'win32' ? folder : dirname(folder))}`;
}
