/** Ways to use GPUs, in the order in which `auto` tries them. */
export const gpuBackends = ['cuda', 'ggml-cuda', 'metal', 'vulkan'] as const;
export type GpuBackend = (typeof gpuBackends)[number];
