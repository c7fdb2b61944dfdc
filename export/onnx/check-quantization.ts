/** Checks the weights below float32 of exported files, and writes the same model with the weights of the checkpoint. */

import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { throwIfCanceled } from '../../src/cancellation.ts';
import { voxcpmOnnxFiles } from '../../src/engine/backends/onnx/layout.ts';
import { manifestName } from '../../src/engine/backends/onnx/manifest.ts';
import { SvcError } from '../../src/errors.ts';
import type { Checkpoint } from '../checkpoint-source.ts';
import { type MatchedTensor, matchTensors } from '../expected-tensors.ts';
import { productError } from './check-products.ts';
import { weightError } from './check-weights.ts';
import { checkpointWeights } from './checkpoint-weights.ts';
import type { Weight } from './graph.ts';
import type { GraphDraft } from './graph-draft.ts';
import type { NodeProto } from './schema.ts';
import {
  decodeWeight,
  isQuantizedProduct,
  nodesOf,
  restoreGraph,
  type StoredWeight,
  storedWeights,
} from './stored-weights.ts';
import { type Work, workOnCheckpoint } from './work.ts';
import { writeModel } from './writer.ts';

/** Largest errors relative to their bounds. */
export type QuantizationErrors = {
  readonly weights: number;
  /** Missing without quantized matrices. */
  readonly products?: number;
};

export interface CheckedQuantization {
  readonly errors: QuantizationErrors;
  /** The graphs with the checkpoint's float32 weights instead. */
  readonly restored: readonly GraphDraft[];
}

interface Settings {
  readonly checkpoint: Checkpoint;
  readonly timesteps: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Compares each weight below float32 with the checkpoint's, and each product of a quantized matrix with its values.
 *
 * @returns undefined if all weights are float32
 * @throws SvcError MODEL_INVALID for a weight or product beyond its bound; CANCELLED
 */
export async function checkQuantization(work: Work, settings: Settings): Promise<CheckedQuantization | undefined> {
  const { checkpoint, timesteps, signal } = settings;
  const stored = work.drafts.map((draft) => ({ draft, weights: storedWeights(draft) }));
  if (stored.every(({ weights }) => weights.size === 0)) return undefined;
  const matched = matchTensors(checkpoint.config, checkpoint.tensors);
  const built = workOnCheckpoint(checkpoint, matched, { layout: work.layout, timesteps, limits: {} });
  let [weightErrors, productErrors] = [0, 0];
  const restored: GraphDraft[] = [];
  for (const { draft, weights } of stored) {
    const own = built.drafts.find(({ file }) => file === draft.file)?.weights;
    const originals = new Map<string, Weight>();
    for (const [name, weight] of weights) {
      throwIfCanceled(signal);
      const decoded = await decodeWeight(weight);
      const { original, error } = await findOriginal(weight, decoded, own?.get(name), matched);
      if (original === undefined || error > 1) throw notRounded(draft.file, weight, error);
      originals.set(name, original);
      weightErrors = Math.max(weightErrors, error);
      productErrors = Math.max(productErrors, await checkProducts(draft, weight, decoded));
    }
    restored.push(restoreGraph(draft, originals));
  }
  const hasProducts = work.drafts.flatMap(nodesOf).some(isQuantizedProduct);
  return { errors: { weights: weightErrors, ...(hasProducts && { products: productErrors }) }, restored };
}

/** The weight of the same name, or in files of VoxCPM-ONNX, which number most of them, the one with these values. */
async function findOriginal(
  stored: StoredWeight,
  decoded: Float32Array,
  own: Weight | undefined,
  matched: readonly MatchedTensor[],
): Promise<{ readonly original: Weight | undefined; readonly error: number }> {
  if (own) return { original: own, error: await weightError(stored, decoded, own) };
  const weights = checkpointWeights(matched);
  for (const { expected } of matched) {
    if (expected.role === 'integers') continue;
    const isProduct = stored.format !== 'half' || expected.role === 'matrix';
    const candidates = [weights.plain(expected.name)];
    if (isProduct && expected.shape.length === 2) candidates.push(weights.transposed(expected.name, [expected.name]));
    for (const original of candidates) {
      const error = await weightError(stored, decoded, original, 1);
      if (error <= 1) return { original, error };
    }
  }
  return { original: undefined, error: Number.POSITIVE_INFINITY };
}

const notRounded = (file: string, { name }: StoredWeight, error: number): SvcError =>
  new SvcError(
    'MODEL_INVALID',
    `weight "${name}" of ${file} is not a weight of the checkpoint` +
      (Number.isFinite(error) ? `: its error is ${error.toPrecision(3)} times what rounding explains` : ''),
  );

async function checkProducts(draft: GraphDraft, stored: StoredWeight, decoded: Float32Array): Promise<number> {
  if (stored.format === 'half') return 0;
  const nodes = nodesOf(draft).filter((node) => isQuantizedProduct(node) && node.input[1] === stored.name);
  // Each kind once: VoxCPM-ONNX repeats its nodes for every Euler step.
  const kinds = new Map(nodes.map((node) => [describeProduct(node), node]));
  let worst = 0;
  for (const node of kinds.values()) {
    const error = await productError(node, stored, decoded);
    worst = Math.max(worst, error);
    if (error <= 1) continue;
    throw new SvcError(
      'MODEL_INVALID',
      `node "${node.name}" of ${draft.file} does not multiply by its matrix: its error is ` +
        `${error.toPrecision(3)} times what float32 arithmetic explains`,
    );
  }
  return worst;
}

const describeProduct = ({ opType, attribute, input }: NodeProto): string =>
  [opType, ...attribute.map(({ name, i }) => `${name}=${i}`), ...input.map((name) => name !== '')].join();

/** Writes the restored graphs and the other files of a model to a folder. */
export async function writeRestored(
  folder: string,
  output: string,
  work: Work,
  drafts: readonly GraphDraft[],
): Promise<void> {
  for (const draft of drafts) await writeModel(folder, draft, { version: '0' });
  if (work.manifest) {
    const { files: _, ...manifest } = work.manifest;
    await writeFile(join(folder, manifestName), JSON.stringify(manifest));
    await copyFile(join(output, work.manifest.tokenizer), join(folder, work.manifest.tokenizer));
    return;
  }
  await copyFile(join(output, voxcpmOnnxFiles.tokenizer), join(folder, voxcpmOnnxFiles.tokenizer));
  await copyFile(join(output, 'config.json'), join(folder, 'config.json')).catch(() => undefined);
}
