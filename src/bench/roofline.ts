/** Computes how many bytes a step must read, which bounds its time on a machine of known bandwidth. */
import { open } from 'node:fs/promises';
import { typeTraits } from '../../export/gguf/tensor-types.ts';
import { type GgufTensorInfo, readGgufHeader } from '../formats/gguf.ts';
import { elementCount } from '../formats/safetensors.ts';

/** Read once per step; the flow-matching network is read once per evaluation. */
const languageModel = /^(blk\.|output_norm|residual_lm\.|locenc\.|fsq\.|proj\.)/;
const flowMatching = /^locdit\./;
/** Time embeddings are computed once for all steps. */
const constants = /^locdit\.(time_mlp|delta_time_mlp)\./;

/** 0 for types that the exporter doesn't write. */
function tensorBytes({ type, shape }: GgufTensorInfo): number {
  const traits = Object.entries(typeTraits).find(([name]) => name === type)?.[1];
  if (traits === undefined) return 0;
  return (elementCount(shape) / traits.blockElements) * traits.blockBytes;
}

/**
 * Bytes of weights read by one step, for any number of utterances: language models and local encoder once, flow matching
 * once per evaluation. Ignores keys, values and activations, which are small in comparison.
 *
 * @param evaluations number of evaluations of the flow-matching network
 */
export async function bytesPerStep(path: string, evaluations: number): Promise<number> {
  await using handle = await open(path, 'r');
  const { tensors } = await readGgufHeader(handle, path);
  let bytes = 0;
  for (const tensor of tensors) {
    if (languageModel.test(tensor.name)) bytes += tensorBytes(tensor);
    else if (flowMatching.test(tensor.name) && !constants.test(tensor.name)) bytes += evaluations * tensorBytes(tensor);
  }
  return bytes;
}

/** The matrices that each position of a text is multiplied by. */
const textMatrices = /^(blk|residual_lm\.blk)\..*\.weight$/;

/** Multiplications and additions of both language models for a position of a prefix, without attention. */
export async function operationsPerPosition(path: string): Promise<number> {
  await using handle = await open(path, 'r');
  const { tensors } = await readGgufHeader(handle, path);
  const matrices = tensors.filter(({ name, shape }) => textMatrices.test(name) && shape.length === 2);
  return matrices.reduce((sum, { shape }) => sum + 2 * elementCount(shape), 0);
}

/** Evaluations of the flow-matching network: the first steps have zero velocity and are skipped (`use_cfg_zero_star`). */
export const flowEvaluations = (timesteps: number): number =>
  timesteps - Math.max(1, Math.floor((timesteps + 1) * 0.04));
