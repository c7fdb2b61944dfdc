/** The graph of the language models and its inputs. */
import type { Tensor } from 'onnxruntime-common';
import type { Graph, TensorConstructor } from '../graph.ts';
import { float32, int64, requireInterface } from '../graph-interface.ts';
import type { Manifest } from '../manifest.ts';
import type { KvBlock } from './kv-block.ts';

/** Added to the score of an unused position. */
const hidden = -1e30;

/** Input of `length` positions per member of a block. */
export interface Positions {
  readonly block: KvBlock;
  readonly length: number;
  readonly tokens: Int32Array;
  readonly audio: Uint8Array;
  /** The patches of the audio positions, in order. */
  readonly patches: Float32Array;
  /** Number of cached positions of each member. */
  readonly starts: readonly number[];
}

export type LanguageModels = (
  positions: Positions,
  names?: readonly string[],
) => Promise<Readonly<Record<string, Tensor>>>;

export function createLanguageModels(manifest: Manifest, graph: Graph, Tensor: TensorConstructor): LanguageModels {
  const patchValues = manifest.patchSize * manifest.featureDim;
  checkInterface(manifest, graph);
  return (positions, names) => {
    const { block, length, tokens, audio, starts } = positions;
    const { batch, capacity } = block;
    const { kvHeads, headDim } = manifest.languageModels;
    const { patchSize, featureDim } = manifest;
    const integers = (values: readonly number[]): Tensor =>
      new Tensor('int64', BigInt64Array.from(values, BigInt), [batch, length]);
    // The graph looks patches up after the token embeddings; at least one keeps the input from being empty.
    const patches = positions.patches.length > 0 ? positions.patches : new Float32Array(patchValues);
    let patch = batch * length;
    const rows = Array.from(tokens, (_, index) => (audio[index] === 1 ? patch++ : index));
    const total = capacity + length;
    const bias = new Float32Array(batch * length * total);
    for (const [member, start] of starts.entries()) {
      for (let position = 0; position < length; position += 1) {
        const at = (member * length + position) * total;
        bias.fill(hidden, at + start, at + capacity);
        bias.fill(hidden, at + capacity + position + 1, at + total);
      }
    }
    const feeds: Record<string, Tensor> = {
      tokens: integers([...tokens]),
      audio: new Tensor('bool', audio.slice(), [batch, length]),
      patches: new Tensor('float32', patches, [patches.length / patchValues, patchSize, featureDim]),
      rows: integers(rows),
      positions: integers(starts.flatMap((start) => Array.from({ length }, (_, index) => start + index))),
      bias: new Tensor('float32', bias, [batch, 1, length, total]),
    };
    for (const [index, { keys, values }] of block.layers.entries()) {
      feeds[`past_keys.${index}`] = new Tensor('float32', keys, [batch, kvHeads, headDim, capacity]);
      feeds[`past_values.${index}`] = new Tensor('float32', values, [batch, kvHeads, capacity, headDim]);
    }
    return graph.run(feeds, names);
  };
}

function checkInterface({ patchSize, featureDim, languageModels }: Manifest, graph: Graph): void {
  const { file, layers, kvHeads, headDim } = languageModels;
  const pasts = Array.from({ length: layers }, (_, index) => [
    [`past_keys.${index}`, float32(undefined, kvHeads, headDim, undefined)] as const,
    [`past_values.${index}`, float32(undefined, kvHeads, undefined, headDim)] as const,
  ]);
  requireInterface(graph, file, {
    inputs: {
      tokens: int64(undefined, undefined),
      audio: { type: 'bool', shape: [undefined, undefined] },
      patches: float32(undefined, patchSize, featureDim),
      rows: int64(undefined, undefined),
      positions: int64(undefined, undefined),
      bias: float32(undefined, 1, undefined, undefined),
      ...Object.fromEntries(pasts.flat()),
    },
    outputs: ['new_keys', 'new_values', 'condition', 'stop_logits', 'lm_hidden', 'residual_hidden'],
  });
}
