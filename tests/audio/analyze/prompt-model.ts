/** Model as checks of recordings need to know it. */
export const promptModel = {
  architecture: 'voxcpm',
  inputSampleRate: 16_000,
  inputPatchSamples: 1_280,
  contextLength: 4_096,
} as const;
