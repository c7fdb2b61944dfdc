/** What checks of recordings need to know of a model. */
export const promptModel = {
  architecture: 'voxcpm',
  inputSampleRate: 16_000,
  inputPatchSamples: 1_280,
  contextLength: 4_096,
} as const;
