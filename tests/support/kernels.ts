import { kernelNames } from '../../src/engine/backends/native/kernel-names.ts';
import { loadAddon } from '../../src/engine/backends/native/load-addon.ts';

const addon = await loadAddon();

/** Kernels that this processor can run, including the portable ones and those for AMX on a model of its registers. */
export const runnableKernels = [...kernelNames, 'amx_model'].filter(
  (name) => addon.multiply(name, 'f32', new Float32Array(16), 16, new Float32Array(16), 1) !== undefined,
);
