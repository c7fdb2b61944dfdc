/** What a manifest says about its model to the engine. */
import type { ModelInfo } from '../../../backend.ts';
import type { Manifest } from '../manifest.ts';

export function modelInfo(manifest: Manifest, device: string): ModelInfo {
  return {
    name: manifest.name,
    architecture: manifest.architecture,
    patchSize: manifest.patchSize,
    featureDim: manifest.featureDim,
    patchSamples: manifest.patchSize * manifest.decodeHop,
    inputPatchSamples: manifest.patchSize * manifest.encodeHop,
    inputSampleRate: manifest.inputSampleRate,
    outputSampleRate: manifest.outputSampleRate,
    maxLength: manifest.maxLength,
    weightType: manifest.types.lm,
    device: `ONNX ${device}`,
    limits: manifest.limits,
  };
}
