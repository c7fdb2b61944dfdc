/** A driver of NVIDIA cards that runs our kernels on the model of a GPU, and fails as told. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { loadNative } from '../../../src/engine/backends/native/load-addon.ts';
import { compileOnce } from './compile-once.ts';

export type CardFault =
  | 'good'
  | 'no-device'
  | 'not-started'
  | 'too-old'
  | 'refuses-module'
  | 'no-memory'
  | 'lost'
  | 'hang'
  | 'wrong'
  | 'slow-warpgroups'
  | 'wrong-warpgroups'
  | 'lost-warpgroups';

export interface FakeDriver {
  /** Variables with which svc finds the driver, and kernels for it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The same for a driver before CUDA 11.8. */
  readonly old: Readonly<Record<string, string>>;
}

/** Puts the drivers into `folder`. */
export function makeFakeDriver(folder: string): FakeDriver {
  const kernels = join(folder, 'kernels');
  mkdirSync(kernels);
  // The driver runs the kernels that are compiled into the addon.
  for (const module of ['sm_80', 'sm_90', 'sm_90a'])
    writeFileSync(join(kernels, `${module}.ptx.br`), brotliCompressSync('.version 7.8\n'));
  const make = (name: string, options: readonly string[]): Readonly<Record<string, string>> => {
    mkdirSync(join(folder, name));
    const source = join(import.meta.dirname, 'fake_cuda.cc');
    copyFileSync(compileOnce(source, { options }), join(folder, name, 'libcuda.so.1'));
    return {
      LD_LIBRARY_PATH: join(folder, name),
      SVC_CUDA_KERNELS: kernels,
      FAKE_CUDA_ADDON: loadNative().binary,
    };
  };
  return { environment: make('driver', []), old: make('old-driver', ['-DOLD_DRIVER']) };
}
