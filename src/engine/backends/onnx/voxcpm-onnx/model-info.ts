/** Properties of a VoxCPM-ONNX model, from its files or assumed. */
import type { InferenceSession } from 'onnxruntime-common';
import { z } from 'zod';
import { SvcError } from '../../../../errors.ts';
import type { ModelInfo, ModelLimits } from '../../../backend.ts';
import { limitsOfConfig } from '../../../model-limits.ts';
import type { Graph, TensorConstructor } from '../graph.ts';
import { readModelText } from '../node-platform.ts';
import type { OnnxDevice } from '../runtime.ts';

/**
 * Settings not stored in the graphs. VoxCPM-ONNX uses those of VoxCPM-0.5B; exports by svc store theirs in
 * `config.json`.
 */
const usualSettings = { timesteps: 10, sample_rate: 16000, max_length: 2048 };

const count = z.int().min(1).max(1_000_000);
const settingsSchema = z.object({
  timesteps: count.default(usualSettings.timesteps),
  sample_rate: count.default(usualSettings.sample_rate),
  max_length: count.default(usualSettings.max_length),
});

export type VoxcpmOnnxSettings = z.output<typeof settingsSchema> & { readonly limits: ModelLimits };

/** Reads the `config.json` of an export by svc; the usual settings if it is missing or a different file. */
export async function readSettings(directory: string): Promise<VoxcpmOnnxSettings> {
  const text = await readModelText(directory, 'config.json').catch(() => '{}');
  try {
    const settings: unknown = JSON.parse(text);
    return { ...settingsSchema.parse(settings), limits: limitsOfConfig(settings, 'config.json') };
  } catch {
    return { ...usualSettings, limits: {} };
  }
}

/** The length of a dimension that is fixed in this layout. */
function fixedLength(
  values: readonly InferenceSession.ValueMetadata[],
  name: string,
  dimension: number,
  limit: number,
): number {
  const value = values.find((candidate) => candidate.name === name);
  const length = value?.isTensor === true ? value.shape[dimension] : undefined;
  if (typeof length === 'number' && length > 0 && length <= limit) return length;
  throw new SvcError(
    'MODEL_INVALID',
    `dimension ${dimension} of "${name}" must be fixed from 1 to ${limit}, got ${length ?? 'none'}`,
  );
}

/** @throws SvcError MODEL_INVALID */
export async function voxcpmOnnxInfo(
  { prefill, decoder }: { readonly prefill: Graph; readonly decoder: Graph },
  device: OnnxDevice,
  Tensor: TensorConstructor,
  { sample_rate: sampleRate, max_length: contextLength, limits }: VoxcpmOnnxSettings,
): Promise<ModelInfo> {
  const patchSize = fixedLength(prefill.inputs, 'feat', 2, 64);
  const featureDim = fixedLength(prefill.inputs, 'feat', 3, 4096);
  // Decodes one frame to count its samples; the encoder uses the same number.
  const z = new Tensor('float32', new Float32Array(featureDim), [1, featureDim, 1]);
  const { audio } = await decoder.run({ z });
  const frameSamples = audio?.size ?? 0;
  if (frameSamples < 1 || frameSamples > 16384) {
    throw new SvcError('MODEL_INVALID', `the decoder must give 1 to 16384 samples per frame, got ${frameSamples}`);
  }
  const patchSamples = patchSize * frameSamples;
  return {
    name: 'VoxCPM-ONNX',
    architecture: 'voxcpm',
    patchSize,
    featureDim,
    patchSamples,
    inputPatchSamples: patchSamples,
    inputSampleRate: sampleRate,
    outputSampleRate: sampleRate,
    contextLength,
    weightType: 'f32',
    device: `ONNX ${device}`,
    limits,
  };
}

/** One more than the largest token id. The tokenizer itself reports text that does not parse. */
export function vocabularySize(tokenizer: string): number {
  try {
    const { model, added_tokens: added = [] } = JSON.parse(tokenizer) as {
      readonly model: { readonly vocab: Readonly<Record<string, number>> };
      readonly added_tokens?: readonly { readonly id: number }[];
    };
    return (
      Math.max(
        ...added.map(({ id }) => id),
        Object.values(model.vocab).reduce((a, b) => Math.max(a, b), 0),
      ) + 1
    );
  } catch {
    return Number.MAX_SAFE_INTEGER;
  }
}
