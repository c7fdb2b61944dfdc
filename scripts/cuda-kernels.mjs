/**
 * Compiles the CUDA kernels to PTX with the pinned clang, which needs no file of NVIDIA's: for all cards from Ampere on,
 * with dependent launches for those from Hopper on, and products of warpgroups for Hopper alone. Drivers since CUDA 11.8
 * read it (ISA 7.8), those of warpgroups since CUDA 12.0.
 *
 *     node scripts/cuda-kernels.mjs            all modules, compressed, for this clone or package
 *     node scripts/cuda-kernels.mjs FOLDER     to a folder, also as text
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { installCompiler } from './cross-compile.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const native = join(root, 'native');

/**
 * By name: the smallest compute capability of its cards, or the only one. Without parameters in constant memory, which ISA
 * 7.7 brought, jobs would be copied to local memory.
 */
export const modules = {
  sm_80: { source: 'kernels.cu', isa: 'ptx78', settings: [] },
  sm_90: { source: 'kernels.cu', isa: 'ptx78', settings: ['-DSVC_DEPENDENT_LAUNCH'] },
  sm_90a: { source: 'warpgroup_kernels.cu', isa: 'ptx80', settings: ['-DSVC_DEPENDENT_LAUNCH'] },
};

/** Writes the PTX of a module to `output`. */
export function compileModule(name, output) {
  const { source, isa, settings } = modules[name];
  const cache = join(root, '.cache', 'zig');
  mkdirSync(dirname(output), { recursive: true });
  execFileSync(
    installCompiler(),
    [
      ...['clang', '-x', 'cuda', '--cuda-device-only', '-nocudainc', '-nocudalib', ...settings],
      ...[`--cuda-gpu-arch=${name}`, '-Xclang', '-target-feature', '-Xclang', `+${isa}`],
      // all of a kernel is one function, as registers hold its arrays
      ...['-std=c++20', '-O3', '-ffp-contract=fast', '-mllvm', '-inline-threshold=100000'],
      ...['-I.', '-S', `cuda/kernels/${source}`, '-o', output],
    ],
    {
      cwd: native,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ZIG_GLOBAL_CACHE_DIR: cache, ZIG_LOCAL_CACHE_DIR: cache },
    },
  );
}

/** Where the addon's loader looks for them, and `npm pack` packs them. */
const packed = join(native, 'prebuilds', 'cuda');

/**
 * Compiles all modules into `folder`, compressed.
 *
 * @param text `keep`: with their text
 */
export function compileModules(folder = packed, text = 'remove') {
  for (const name of Object.keys(modules)) {
    const path = join(folder, `${name}.ptx`);
    compileModule(name, path);
    const small = brotliCompressSync(readFileSync(path), { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } });
    writeFileSync(`${path}.tmp`, small);
    renameSync(`${path}.tmp`, `${path}.br`);
    if (text !== 'keep') rmSync(path);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  try {
    if (folder === undefined) compileModules();
    else compileModules(folder, 'keep');
  } catch (error) {
    const [reason] = error.message.split('\n');
    console.error(
      `svc: cannot compile the CUDA kernels: ${reason}; install python3 with pip, which installs the compiler`,
    );
    process.exitCode = 1;
  }
}
