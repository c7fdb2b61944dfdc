import { kernelNames } from '../../src/engine/backends/native/kernel-names.ts';
import { loadAddon } from '../../src/engine/backends/native/load-addon.ts';

const addon = await loadAddon();
const runs = (name: string): boolean =>
  addon.multiply(name, 'f32', new Float32Array(16), 16, new Float32Array(16), 1) !== undefined;

/** Kernels that this processor can run, including the portable ones. */
export const runnableKernels = kernelNames.filter(runs);

/** With those for AMX on a model of its registers, which only the addon of a clone has. */
export const testableKernels: readonly string[] = [...runnableKernels, ...['amx_model'].filter(runs)];

/** The same with the vectors of AVX2 where that doesn't run, for tests of AMX alone. */
export const tileKernelsToTest: readonly string[] = [
  ...testableKernels.filter((name) => name.startsWith('amx')),
  ...['amx_model_avx2'].filter(runs),
];
