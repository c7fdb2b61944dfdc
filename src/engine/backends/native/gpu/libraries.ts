/** The ways to use GPUs that are installed: our kernels for NVIDIA cards, and ggml's libraries. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasMusl } from '../../../../package/c-library.ts';
import type { LoadedAddon } from '../load-addon.ts';
import { type GpuBackend, gpuBackends } from './backends.ts';
import { moduleFolder } from './card-modules.ts';
import { hasNvidiaDriver } from './driver.ts';

export interface GpuLibrary {
  readonly backend: GpuBackend;
  /** Path of ggml's library for the backend; for `cuda` the folder of our kernels. */
  readonly path: string;
  /** The npm package that contains it, with its version; undefined elsewhere. */
  readonly package: { readonly name: string; readonly version: string } | undefined;
}

/** Our kernels where there is an NVIDIA driver, and ggml's libraries unless the addon uses its own ggml, for the CPU only. */
export function findGpuLibraries({
  addon,
  directories,
  runtime,
}: Pick<LoadedAddon, 'addon' | 'directories' | 'runtime'>): GpuLibrary[] {
  const own = addon.loadCards !== undefined && !hasMusl() && hasNvidiaDriver() ? [ownLibrary()] : [];
  if (runtime.whyOwnGgml !== undefined) return own;
  const others = gpuBackends.flatMap((backend) => {
    const path = backend === 'cuda' ? undefined : findLibrary(directories, backend.replace('ggml-', ''));
    return path === undefined ? [] : [{ backend, path, package: packageOf(path) }];
  });
  return [...own, ...others];
}

const ownLibrary = (): GpuLibrary => ({ backend: 'cuda', path: moduleFolder(), package: undefined });

/** ggml's library of a backend, as it names them, in the first folder that has one. */
export function findLibrary(directories: readonly string[], backend: string): string | undefined {
  // Also on macOS, where only libraries that others link with are called .dylib.
  const pattern = new RegExp(`^(?:lib)?ggml-${backend}\\.(?:so|dll)$`);
  for (const directory of directories) {
    const file = existsSync(directory) ? readdirSync(directory).find((entry) => pattern.test(entry)) : undefined;
    if (file !== undefined) return join(directory, file);
  }
  return undefined;
}

/** Packages keep libraries in `bins/<name>`. */
function packageOf(path: string): GpuLibrary['package'] {
  try {
    const manifest = join(dirname(dirname(dirname(path))), 'package.json');
    const { name, version } = JSON.parse(readFileSync(manifest, 'utf8')) as GpuLibrary['package'] & object;
    return { name, version };
  } catch {
    return undefined;
  }
}
