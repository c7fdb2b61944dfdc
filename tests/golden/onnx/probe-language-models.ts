/** The language models of an exported model, stage by stage. */
import type { Tensor } from 'onnxruntime-common';
import type { NativeTensor } from '../../../src/engine/backends/native/addon.ts';
import { bucketFor, KvBlock } from '../../../src/engine/backends/onnx/exported/kv-block.ts';
import { concatenate } from '../../../src/float-arrays.ts';
import { transposed } from '../layout.ts';
import {
  type Feeds,
  float,
  hidden,
  int64,
  native,
  need,
  type Outputs,
  type ProbeFiles,
  squeezed,
  type Tensors,
} from './probe-files.ts';

/** Number of base LM layers; the rest belong to the residual LM. */
async function baseLayersOf(files: ProbeFiles): Promise<number> {
  const names = await files.labels(files.manifest.languageModels.file, /^base_lm\.layers\.\d+\.keys$/);
  return names.length;
}

/** @param name also the prefix of the values in the file */
export async function languageModel(files: ProbeFiles, name: 'base_lm' | 'residual_lm', inputs: Tensors): Outputs {
  const { file, kvHeads, headDim, layers: all } = files.manifest.languageModels;
  const baseLayers = await baseLayersOf(files);
  const [input, first, layers] =
    name === 'base_lm' ? ['embeddings', 0, baseLayers] : ['residual_lm.input', baseLayers, all - baseLayers];
  const prefill = need(inputs, 'prefill');
  const [length = 0, width = 0] = prefill.shape;
  const stepCount = inputs.steps?.shape[0] ?? 0;
  const block = new KvBlock({ layers, kvHeads, headDim }, 1, bucketFor(length + stepCount));
  const names = Array.from({ length: layers }, (_, index) => `${name}.layers.${index}`);
  const caches = [...names.map((layer) => `${layer}.keys`), ...names.map((layer) => `${layer}.values`)];
  const wanted = [`${name}.output`, ...names.map((layer) => `${layer}.output`), ...caches];
  const run = async (data: Float32Array, start: number, count: number): Promise<Record<string, Tensor>> => {
    const feeds = {
      [input]: float(data, 1, count, width),
      ...positionFeeds(start, count, block.capacity),
      ...pastFeeds(block, first, layers),
    };
    const outputs = await files.run(file, feeds, wanted);
    const join = (kind: string): Float32Array =>
      concatenate(names.map((layer) => outputs[`${layer}.${kind}`]?.data as Float32Array));
    block.write(join('keys'), join('values'), [start], count);
    return outputs;
  };
  const outputs = await run(prefill.data as Float32Array, 0, length);
  const result: Record<string, NativeTensor> = { out: squeezed(outputs[`${name}.output`] as Tensor) };
  for (const [index, layer] of names.entries()) {
    result[`layer${index}.out`] = squeezed(outputs[`${layer}.output`] as Tensor);
    const keys = outputs[`${layer}.keys`] as Tensor;
    result[`k${index}`] = transposed({ data: keys.data as Float32Array, shape: [...keys.dims] });
    result[`v${index}`] = native(outputs[`${layer}.values`] as Tensor);
  }
  const steps: Float32Array[] = [];
  for (let step = 0; step < stepCount; step += 1) {
    const rows = need(inputs, 'steps').data as Float32Array;
    const row = rows.slice(step * width, (step + 1) * width);
    const stepped = await run(row, length + step, 1);
    steps.push(stepped[`${name}.output`]?.data as Float32Array);
  }
  if (stepCount > 0) result.step_out = { data: concatenate(steps), shape: [stepCount, width] };
  return result;
}

export async function embed(files: ProbeFiles, { data }: NativeTensor): Outputs {
  const feeds = { tokens: int64(data, 1, data.length) };
  const { token_embeddings: out } = await files.run(files.manifest.languageModels.file, feeds, ['token_embeddings']);
  return { out: squeezed(out as Tensor) };
}

export async function localEncoder(files: ProbeFiles, { data, shape }: NativeTensor): Outputs {
  const wanted = ['local_encoder.output', 'local_encoder.projected'];
  const outputs = await files.run(files.manifest.languageModels.file, { patches: float(data, ...shape) }, wanted);
  return {
    out: native(outputs['local_encoder.output'] as Tensor),
    proj_out: native(outputs['local_encoder.projected'] as Tensor),
  };
}

export async function hiddenStage(
  files: ProbeFiles,
  { data, shape }: NativeTensor,
  input: string,
  outputs: Readonly<Record<string, string>>,
): Outputs {
  const made = await files.run(
    files.manifest.languageModels.file,
    { [input]: float(data, ...shape) },
    Object.values(outputs),
  );
  return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, native(made[value] as Tensor)]));
}

export async function prefill(files: ProbeFiles, inputs: Tensors): Outputs {
  const { file, kvHeads, headDim } = files.manifest.languageModels;
  const { patchSize, featureDim } = files.manifest;
  const { data: tokens } = need(inputs, 'tokens');
  const { data: audio } = need(inputs, 'audioMask');
  const { data: features } = need(inputs, 'features');
  const length = tokens.length;
  const layers = await baseLayersOf(files);
  const block = new KvBlock({ layers, kvHeads, headDim }, 1, bucketFor(length));
  let next = length;
  const patches = features.length > 0 ? features : new Float32Array(patchSize * featureDim);
  const feeds = {
    tokens: int64(tokens, 1, length),
    patches: float(patches, patches.length / (patchSize * featureDim), patchSize, featureDim),
    rows: int64(
      Array.from(audio, (flag, index) => (flag === 1 ? next++ : index)),
      1,
      length,
    ),
    ...positionFeeds(0, length, block.capacity),
    ...pastFeeds(block, 0, layers),
  };
  const outputs = await files.run(file, feeds, ['embeddings', 'base_lm.output']);
  return {
    embeds: squeezed(outputs.embeddings as Tensor),
    base_out: squeezed(outputs['base_lm.output'] as Tensor),
  };
}

function pastFeeds(block: KvBlock, first: number, layers: number): Feeds {
  const { kvHeads, headDim } = block.shape;
  const feeds: Record<string, Tensor> = {};
  for (let index = 0; index < layers; index += 1) {
    const { keys, values } = block.layers[index] as { keys: Float32Array; values: Float32Array };
    feeds[`past_keys.${first + index}`] = float(keys, 1, kvHeads, headDim, block.capacity);
    feeds[`past_values.${first + index}`] = float(values, 1, kvHeads, block.capacity, headDim);
  }
  return feeds;
}

/** Positions from `start` on and their attention mask. */
function positionFeeds(start: number, length: number, capacity: number): Feeds {
  const bias = Array.from({ length: length * (capacity + length) }, (_, index) => {
    const [row, column] = [Math.floor(index / (capacity + length)), index % (capacity + length)];
    return column < start || (column >= capacity && column - capacity <= row) ? 0 : hidden;
  });
  const positions = Array.from({ length }, (_, index) => start + index);
  return { positions: int64(positions, 1, length), bias: float(bias, 1, 1, length, capacity + length) };
}
