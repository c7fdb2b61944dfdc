/** The GPU libraries of ggml that are installed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LoadedAddon } from '../load-addon.ts';

/** Backends in the order in which `auto` tries them. */
export const gpuBackends = ['cuda', 'metal', 'vulkan'] as const;
export type GpuBackend = (typeof gpuBackends)[number];

export interface GpuLibrary {
  readonly backend: GpuBackend;
  /** Path of ggml's library for the backend. */
  readonly path: string;
  /** The npm package that contains it, with its version; undefined elsewhere. */
  readonly package: { readonly name: string; readonly version: string } | undefined;
}

/** None where the addon uses its own ggml, which has the CPU only. */
export function findGpuLibraries({ directories, runtime }: Pick<LoadedAddon, 'directories' | 'runtime'>): GpuLibrary[] {
  if (runtime.whyOwnGgml !== undefined) return [];
  return gpuBackends.flatMap((backend) => {
    const path = findLibrary(directories, backend);
    return path === undefined ? [] : [{ backend, path, package: packageOf(path) }];
  });
}

/** The library of a backend in the first folder that has one. */
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
