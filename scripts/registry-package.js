/** Single packages from the npm registry, for what must not be a dependency of every installation. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cache = join(dirname(dirname(fileURLToPath(import.meta.url))), '.cache');

/** Version of all packages that carry ggml: those in package.json, and those fetched by these scripts. */
export const ggmlVersion = '3.21.1';

/**
 * Downloads a package and unpacks it, or some of its files, into `folder/package`.
 *
 * @throws Error when the download fails or its hash is not `integrity`
 */
export function unpackPackage({ name, version, integrity, files = [] }, folder) {
  const tarball = join(folder, npm(['pack', `${name}@${version}`, '--silent'], folder).trim());
  const received = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  if (received !== integrity) throw new Error(`${name}@${version} must have the hash ${integrity}, got ${received}`);
  execFileSync('tar', ['-xzf', tarball, ...files], { cwd: folder, stdio: 'inherit' });
  return join(folder, 'package');
}

/**
 * The folder with a package, or some of its files, downloaded on first use into `.cache`.
 *
 * @throws Error when the download fails or its hash is not `integrity`
 */
export function cachePackage(wanted) {
  const name = `${wanted.name.replaceAll('/', '-')}-${wanted.version}`;
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  console.error(`svc: downloading ${wanted.name}@${wanted.version} into .cache`);
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, `${name}-`));
  try {
    placeFolder(unpackPackage(wanted, scratch), folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return folder;
}

/** Renames a folder, unless another process was faster. */
export function placeFolder(folder, target) {
  try {
    renameSync(folder, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  }
}

/** The npm that runs this script, else that of the PATH. */
function npm(parameters, cwd) {
  const cli = process.env.npm_execpath;
  const [command, prefix] = cli ? [process.execPath, [cli]] : ['npm', []];
  return execFileSync(command, [...prefix, ...parameters], {
    cwd,
    encoding: 'utf8',
    shell: !cli && process.platform === 'win32',
  });
}
