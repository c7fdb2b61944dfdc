/** Finds and loads the native addon and its ggml libraries. */
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SvcError, toSvcError } from '../../../errors.ts';
import { hasMusl } from '../../../package/c-library.ts';
import { installCommand } from '../../../package/install-command.ts';
import { findPackage } from '../../../package/package-root.ts';
import type { Addon, NativeRuntime } from './addon.ts';

const platform = { darwin: 'mac', win32: 'win', linux: 'linux' }[process.platform as string];

/** Packages with ggml libraries for this machine; the first installed one is used for the CPU. */
const packageNames = (): readonly string[] => {
  const base = `@node-llama-cpp/${platform}-${process.arch}`;
  return platform === 'mac' && process.arch === 'arm64' ? [`${base}-metal`] : [base, `${base}-vulkan`, `${base}-cuda`];
};

/** The package that adds a backend to this machine, with its version. */
export const packageFor = (backend: 'ggml-cuda' | 'vulkan'): string =>
  `@node-llama-cpp/${platform}-${process.arch}-${backend.replace('ggml-', '')}@${ggmlPackageVersion}`;

const ggmlPackageVersion = '3.21.1';

export interface LoadedAddon {
  readonly addon: Addon;
  /** Path of the addon. */
  readonly binary: string;
  readonly runtime: NativeRuntime;
  /** Folders of the ggml libraries. */
  readonly directories: readonly string[];
}

let loaded: LoadedAddon | undefined;

/**
 * Loads the addon once per process.
 *
 * @param extraDirectories additional folders with ggml backend libraries, such as a GPU package outside `node_modules`
 * @throws SvcError BACKEND_UNAVAILABLE with the reason and the remedy for this machine
 */
export function loadNative(extraDirectories: readonly string[] = []): LoadedAddon {
  if (loaded) return loaded;
  const root = findPackage().root;
  const require = createRequire(join(root, 'package.json'));
  const binary = findBinary(require, root);
  const addon = loadBinary(require, root, binary);
  const directories = [...libraryDirectories(require), ...extraDirectories];
  loaded = { addon, binary, runtime: loadGgml(addon, directories), directories };
  return loaded;
}

function loadGgml(addon: Addon, directories: readonly string[]): NativeRuntime {
  try {
    return addon.load(directories);
  } catch (cause) {
    if (directories.length > 0) throw cause;
    const [name] = packageNames();
    const remedy = `install it with: ${installCommand(`${name}@${ggmlPackageVersion}`)}`;
    throw new SvcError('BACKEND_UNAVAILABLE', `the package ${name} is not installed`, { cause, remedy });
  }
}

/** Returns freed memory of any library to the system, where the addon is installed. */
export const returnFreedMemory = (): void => installedAddon()?.returnFreedMemory();

/** The addon without ggml's libraries; undefined where it is not installed, since ONNX models run without it. */
export function installedAddon(): Addon | undefined {
  const { root } = findPackage();
  const require = createRequire(join(root, 'package.json'));
  try {
    return loaded?.addon ?? loadBinary(require, root, findBinary(require, root));
  } catch {
    return undefined;
  }
}

/** The addon only, for work without a model, such as quantizing. */
export const loadAddon = async (): Promise<Addon> => loadNative().addon;

/** The locally built addon, or the prebuilt one for this platform and C library. */
function findBinary(require: NodeJS.Require, root: string): string {
  // node-gyp-build knows musl only of Alpine.
  const musl = hasMusl() ? muslBinaries(root).find(existsSync) : undefined;
  if (musl !== undefined) return musl;
  const { resolve } = require('node-gyp-build') as { readonly resolve: (folder: string) => string };
  try {
    return resolve(join(root, 'native'));
  } catch (cause) {
    const problem = `the native addon for ${process.platform}-${process.arch} is missing`;
    throw new SvcError('BACKEND_UNAVAILABLE', problem, { cause, remedy: buildRemedy(root) });
  }
}

/** In the order in which node-gyp-build would look. */
const muslBinaries = (root: string): readonly string[] => [
  join(root, 'native', 'build', 'Release', 'svc.node'),
  join(root, 'native', 'prebuilds', `linux-${process.arch}`, 'svc.musl.node'),
];

/** Builds the addon for this machine: in a clone, and in a package that was installed without scripts. */
export const buildRemedy = (root: string = findPackage().root): string =>
  `to build it, install a C++20 compiler, make and python3 and run: node ${join(root, 'scripts', 'build-native.mjs')}`;

function loadBinary(require: NodeJS.Require, root: string, binary: string): Addon {
  try {
    return require(binary) as Addon;
  } catch (thrown) {
    const reason = toSvcError(thrown).message.split('\n')[0];
    const place = `Node.js ${process.version} on ${process.platform}-${process.arch}`;
    throw new SvcError('BACKEND_UNAVAILABLE', `the native addon does not load in ${place}: ${reason}`, {
      cause: thrown,
      remedy: buildRemedy(root),
    });
  }
}

/** The folders `bins/<name>` of each installed package; the name depends on the GPU variant. All of them need glibc. */
function libraryDirectories(require: NodeJS.Require): string[] {
  if (hasMusl()) return [];
  return packageNames().flatMap((name) => {
    let entry: string;
    try {
      entry = require.resolve(name);
    } catch {
      return [];
    }
    const bins = join(dirname(dirname(entry)), 'bins');
    return existsSync(bins) ? readdirSync(bins).map((folder) => join(bins, folder)) : [];
  });
}
