import { loadAddon } from '../../src/engine/backends/native/load-addon.ts';

/** All CPU kernels of the addon, by instruction set. */
export const kernelNames = ['avx512_bf16', 'avx512', 'avx2', 'neon', 'portable'] as const;

const addon = await loadAddon();

/** Kernels that this processor can run, including the portable ones. */
export const runnableKernels = kernelNames.filter(
  (name) => addon.multiply(name, 'f32', new Float32Array(16), 16, new Float32Array(16), 1) !== undefined,
);
