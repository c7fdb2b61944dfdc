/** Builds a stand-in for the official Node.js image: Debian from its mirror, Node.js and npm from the npm registry. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addNode, createDebianRoot, writeRegistry } from '../clean-root/debian-root.ts';
import type { Podman } from './podman.ts';

export interface BaseImage {
  readonly podman: Podman;
  /** Temporary folder. */
  readonly folder: string;
  /** Specifies the Node.js version. */
  readonly dockerfile: string;
}

/** Tags it as `docker.io/library/node:<version>-bookworm-slim` and as the CUDA image of `Dockerfile.gpu`. */
export function createBaseImage({ podman, folder, dockerfile }: BaseImage): void {
  const version = argumentOf(dockerfile, 'NODE_VERSION');
  const system = join(folder, 'system');
  createDebianRoot(system);
  slim(system);
  addNode(system, { node: version, npm: '10', folder });
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
  if (value === undefined) throw new Error(`${dockerfile} has no ARG ${name}`);
  return value;
}

/** Like the official image: without documentation, translations and package caches. */
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
