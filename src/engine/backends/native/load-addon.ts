/** Finds and loads the native addon and the ggml libraries that it computes with. */
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SvcError, toSvcError } from '../../../errors.ts';
import { installCommand } from '../../../install-command.ts';
import { findPackage } from '../../../package-root.ts';
import type { Addon, NativeRuntime } from './addon.ts';

const platform = { darwin: 'mac', win32: 'win', linux: 'linux' }[process.platform as string];

/** Registry packages that carry ggml for this machine; the first one that is there serves the CPU. */
const packageNames = (): readonly string[] => {
  const base = `@node-llama-cpp/${platform}-${process.arch}`;
  return platform === 'mac' && process.arch === 'arm64' ? [`${base}-metal`] : [base, `${base}-vulkan`, `${base}-cuda`];
};

/** The package that adds a backend to this machine, as a user installs it. */
export const packageFor = (backend: 'cuda' | 'vulkan'): string =>
  `@node-llama-cpp/${platform}-${process.arch}-${backend}@${ggmlPackageVersion}`;

const ggmlPackageVersion = '3.21.1';

export interface LoadedAddon {
  readonly addon: Addon;
  /** The file of the addon. */
  readonly binary: string;
  readonly runtime: NativeRuntime;
  /** Folders that ggml's libraries were loaded from. */
  readonly directories: readonly string[];
}

let loaded: LoadedAddon | undefined;

/**
 * Loads the addon once a process.
 *
 * @param extraDirectories more folders with ggml backend libraries, such as a GPU package outside of `node_modules`
 * @throws SvcError BACKEND_UNAVAILABLE with the reason and the remedy for this machine
 */
export function loadNative(extraDirectories: readonly string[] = []): LoadedAddon {
  if (loaded) return loaded;
  const root = findPackage().root;
  const require = createRequire(join(root, 'package.json'));
  const binary = findBinary(require, root);
  const addon = loadBinary(require, root, binary);
  const directories = [...libraryDirectories(require), ...extraDirectories];
  if (directories.length === 0) {
    throw new SvcError(
      'BACKEND_UNAVAILABLE',
      `expected the package ${packageNames()[0]} for this machine, received none; install it with: ${installCommand(`${packageNames()[0]}@${ggmlPackageVersion}`)}`,
    );
  }
  loaded = { addon, binary, runtime: addon.load(directories), directories };
  return loaded;
}

/** The addon alone, for what needs no model, such as quantising. */
export const loadAddon = async (): Promise<Addon> => loadNative().addon;

/** The addon that was built here, else the one that the package brought for this platform and C library. */
function findBinary(require: NodeJS.Require, root: string): string {
  const { resolve } = require('node-gyp-build') as { readonly resolve: (folder: string) => string };
  try {
    return resolve(join(root, 'native'));
  } catch (cause) {
    throw new SvcError(
      'BACKEND_UNAVAILABLE',
      `expected the native addon for ${process.platform}-${process.arch}, received neither a prebuilt nor a built one; ${buildRemedy(root)}`,
      { cause },
    );
  }
}

/** Works in a clone and in an installed package, whose install script may have been switched off. */
const buildRemedy = (root: string): string =>
  `with a C++17 compiler, make and python3 build it with: node ${join(root, 'scripts', 'build-native.mjs')}`;

function loadBinary(require: NodeJS.Require, root: string, binary: string): Addon {
  try {
    return require(binary) as Addon;
  } catch (thrown) {
    const reason = toSvcError(thrown).message.split('\n')[0];
    throw new SvcError(
      'BACKEND_UNAVAILABLE',
      `expected a native addon for Node ${process.version} on ${process.platform}-${process.arch}, received: ${reason}; ${buildRemedy(root)}`,
      { cause: thrown },
    );
  }
}

/** `bins/<name>` of each installed package; its name within the package varies with the GPU variant. */
function libraryDirectories(require: NodeJS.Require): string[] {
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
