import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { findPackage } from './package-root.ts';
import { shellWord } from './shell-word.ts';

/**
 * The command that installs a package where svc finds it: beside a global svc, in the project that depends on svc, or in a
 * clone of svc. It can be run in any folder. Scripts are off, since no package needs them here and some download a lot.
 *
 * @param specifier name, with `@version` where it matters
 * @param root folder of svc's `package.json`
 * @example
 * installCommand('onnxruntime-node'); // npm install --global --prefix /usr/local --ignore-scripts onnxruntime-node
 */
export function installCommand(specifier: string, root: string = findPackage().root): string {
  const modules = dirname(root);
  const place =
    basename(modules) === 'node_modules' ? placeOf(dirname(modules)) : `--no-save --prefix ${shellWord(root)}`;
  return `npm install ${place} --ignore-scripts ${specifier}`;
}

/** @param folder of the `node_modules` that svc lies in; that of global packages has no `package.json` */
function placeOf(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return `--prefix ${shellWord(folder)}`;
  return `--global --prefix ${shellWord(process.platform === 'win32' ? folder : dirname(folder))}`;
}
