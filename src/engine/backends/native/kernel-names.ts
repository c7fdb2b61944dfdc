/** CPU kernels of the addon, by instruction set, the fastest first. The portable ones are used only by name. */
export const kernelNames = [
  'amx',
  'avx512_bf16',
  'avx512',
  'avx_vnni',
  'avx2',
  'neon_i8mm',
  'neon',
  'neon_v8',
  'portable',
] as const;
export type KernelName = (typeof kernelNames)[number];
