/** An in-memory checkpoint with the dimensions of a published model and random weights. */
import type { Checkpoint } from '../../../export/checkpoint-source.ts';
import { type ExpectedTensor, expectedTensors } from '../../../export/expected-tensors.ts';
import { parseModelConfig } from '../../../export/model-config.ts';
import { elementCount } from '../../formats/safetensors.ts';
import type { TensorSource } from '../../formats/tensor-source.ts';
import { type PublishedModel, publishedConfig } from './published-configs.ts';
import { tokenizerFiles } from './tokenizer.ts';
import { blockElements, languageValues, normalBlock, placeInBlock, type Values, vaeValues } from './values.ts';

/** @param layersDivisor divides the number of layers of every stack, for tests */
export function syntheticCheckpoint(model: PublishedModel, layersDivisor = 1, seed = 1): Checkpoint {
  const configText = JSON.stringify(publishedConfig(model, layersDivisor));
  const config = parseModelConfig(JSON.parse(configText), 'config.json');
  const tokenizer = tokenizerFiles(config.lm_config.vocab_size);
  const file = (name: string): string => JSON.stringify(tokenizer[name]);
  const scaled = scaledBlocks(seed);
  // Integer buffers repeat values of the config.
  const expected = expectedTensors(config).filter(({ role }) => role !== 'integers');
  const sources = expected.map((tensor, index) => tensorSource(tensor, placeInBlock(index), scaled));
  return {
    directory: `synthetic-${model}`,
    config,
    configText,
    tokenizerFiles: {
      tokenizer: file('tokenizer.json'),
      tokenizerConfig: file('tokenizer_config.json'),
      specialTokensMap: file('special_tokens_map.json'),
    },
    tensors: new Map(sources.map((source) => [source.name, source])),
    weightFiles: [],
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Scales the block by a deviation. Caches only the last one: tensors with the same deviation are adjacent. */
function scaledBlocks(seed: number): (deviation: number) => Float32Array {
  let block: Float32Array | undefined;
  let last: { readonly deviation: number; readonly values: Float32Array } | undefined;
  return (deviation) => {
    block ??= normalBlock(seed);
    if (last?.deviation !== deviation) last = { deviation, values: block.map((value) => value * deviation) };
    return last.values;
  };
}

function tensorSource(
  tensor: ExpectedTensor,
  place: number,
  scaled: (deviation: number) => Float32Array,
): TensorSource {
  const { name, shape } = tensor;
  const values: Values = name.startsWith('audio_vae.') ? vaeValues(tensor) : languageValues(tensor);
  const rowLength = elementCount(shape.slice(1));
  return {
    name,
    dtype: 'F32',
    shape,
    read: async (start, count) => {
      const floats = new Float32Array(count);
      if ('constant' in values) floats.fill(values.constant);
      else if ('rows' in values) fillRows(floats, values.rows, rowLength, start);
      else fillFrom(floats, scaled(values.deviation), place + start);
      return new Uint8Array(floats.buffer);
    },
  };
}

function fillRows(floats: Float32Array, rows: readonly number[], rowLength: number, start: number): void {
  for (let index = 0; index < floats.length; index += 1) {
    floats[index] = rows[Math.floor((start + index) / rowLength) % rows.length] ?? 0;
  }
}

/** Repeats the block, starting at `place`. */
function fillFrom(floats: Float32Array, block: Float32Array, place: number): void {
  let from = place % blockElements;
  for (let filled = 0; filled < floats.length; ) {
    const part = block.subarray(from, Math.min(from + floats.length - filled, blockElements));
    floats.set(part, filled);
    filled += part.length;
    from = 0;
  }
}
