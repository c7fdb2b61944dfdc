/** The least that a step has to read, and so the least time it takes on a machine of a given bandwidth. */
import { open } from 'node:fs/promises';
import { typeTraits } from '../export/gguf/tensor-types.ts';
import { type GgufTensorInfo, readGgufHeader } from '../src/formats/gguf.ts';
import { elementCount } from '../src/formats/safetensors.ts';

/** Read once a step, but for flow matching: once for each evaluation of its network. */
const languageModel = /^(blk\.|output_norm|residual_lm\.|locenc\.|fsq\.|proj\.)/;
const flowMatching = /^locdit\./;
/** Its embeddings of the time are computed once for all steps. */
const constants = /^locdit\.(time_mlp|delta_time_mlp)\./;

/** Six bits for k-quants of 5 and 6 are in the table; types that the exporter doesn't write are not. */
function tensorBytes({ type, shape }: GgufTensorInfo): number {
  const traits = Object.entries(typeTraits).find(([name]) => name === type)?.[1];
  if (traits === undefined) return 0;
  return (elementCount(shape) / traits.blockElements) * traits.blockBytes;
}

/**
 * Bytes of weights that one step reads, for any number of utterances: language models and local encoder once, flow
 * matching once an evaluation. Keys, values and activations are left out; they are small beside the weights.
 *
 * @param evaluations of the network of flow matching
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

/** Evaluations of the network in flow matching: the first steps have zero velocity and are not computed (`use_cfg_zero_star`). */
export const flowEvaluations = (timesteps: number): number =>
  timesteps - Math.max(1, Math.floor((timesteps + 1) * 0.04));
