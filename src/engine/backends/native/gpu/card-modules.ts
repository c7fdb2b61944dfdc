/** Our kernels for NVIDIA cards, as PTX that the driver compiles. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { brotliDecompressSync } from 'node:zlib';
import { SvcError } from '../../../../errors.ts';
import { findPackage } from '../../../../package/package-root.ts';

/** The folder of the compressed modules, which a package has. Another one is for developers of kernels. */
export function moduleFolder(): string {
  const { env } = process;
  return env.SVC_CUDA_KERNELS || join(findPackage().root, 'native', 'prebuilds', 'cuda');
}

/**
 * Reads the PTX of a module, such as `sm_90`.
 *
 * @throws SvcError BACKEND_UNAVAILABLE with the command that compiles the modules
 */
export function readModule(folder: string, module: string): Uint8Array {
  const path = join(folder, `${module}.ptx.br`);
  try {
    return brotliDecompressSync(readFileSync(path));
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const problem = isMissing
      ? `the CUDA kernels are not compiled (no ${path})`
      : `the CUDA kernels in ${path} are damaged`;
    const remedy = `compile them with: node ${join(findPackage().root, 'scripts', 'cuda-kernels.mjs')}`;
    throw new SvcError('BACKEND_UNAVAILABLE', problem, { cause, remedy });
  }
}
