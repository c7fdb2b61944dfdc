/** Merges LoRA adapters into the matrices of a checkpoint: W + weight · scale · B·A. */
import { basename, dirname } from 'node:path';
import type { LoraUpdate, LoraWeights } from '../src/engine/lora/lora-weights.ts';
import { loraWeightFiles, readAdapter } from '../src/engine/lora/read-adapter.ts';
import { SvcError } from '../src/errors.ts';
import { readFloats, type TensorSource } from '../src/formats/tensor-source.ts';
import { openCheckpoint } from './checkpoint.ts';
import type { Checkpoint } from './checkpoint-source.ts';

export interface MergedAdapter {
  /** Folder or file of the adapter. */
  readonly path: string;
  /** For the description of the model; by default, the name of the folder or file. */
  readonly name?: string | undefined;
  /** Factor; 1 as trained, the default. */
  readonly weight?: number | undefined;
  /** Overrides the alpha of `lora_config.json`. */
  readonly alpha?: number | undefined;
}

/**
 * Opens a checkpoint whose matrices include the updates of adapters, one after the other, in float32.
 *
 * @throws SvcError as `openCheckpoint` and `readAdapter`; UNSUPPORTED_PARAMETER if an adapter does not fit
 */
export async function openMerged(path: string, adapters: readonly MergedAdapter[]): Promise<Checkpoint> {
  let checkpoint = await openCheckpoint(path);
  try {
    for (const adapter of adapters) checkpoint = await merge(checkpoint, adapter);
    return { ...checkpoint, reopen: () => openMerged(path, adapters) };
  } catch (error) {
    await checkpoint[Symbol.asyncDispose]();
    throw error;
  }
}

async function merge(checkpoint: Checkpoint, adapter: MergedAdapter): Promise<Checkpoint> {
  const { path, weight = 1, alpha } = adapter;
  const { weights, description } = await readAdapter(path, { alpha });
  const name = adapter.name ?? nameOf(description.path);
  const merged = `${name} (rank ${description.rank}, alpha ${description.alpha}, weight ${weight})`;
  return {
    ...checkpoint,
    tensors: mergedTensors(checkpoint.tensors, weights, { weight, name }),
    weightFiles: [...checkpoint.weightFiles, description.path],
    loras: [...(checkpoint.loras ?? []), merged],
  };
}

/** Most adapters have the same file name. */
function nameOf(path: string): string {
  const file = basename(path);
  return (loraWeightFiles as readonly string[]).includes(file) ? basename(dirname(path)) : file;
}

function mergedTensors(
  tensors: Checkpoint['tensors'],
  { scale, updates }: LoraWeights,
  { weight, name }: { readonly weight: number; readonly name: string },
): Checkpoint['tensors'] {
  const merged = new Map(tensors);
  for (const update of updates) {
    const key = `${update.target}.weight`;
    const source = tensors.get(key);
    const refuse = (problem: string): never => {
      throw new SvcError(
        'UNSUPPORTED_PARAMETER',
        `LoRA adapter ${JSON.stringify(name)} does not fit the checkpoint: ${problem}`,
      );
    };
    if (source === undefined) return refuse(`it has no tensor "${key}"`);
    const shape = [update.b.length / update.rank, update.a.length / update.rank];
    if (source.shape.join('×') !== shape.join('×')) {
      return refuse(`tensor "${key}" has shape ${source.shape.join('×')}, expected ${shape.join('×')}`);
    }
    merged.set(key, mergedTensor(source, update, scale * weight));
  }
  return merged;
}

function mergedTensor(source: TensorSource, { rank, a, b }: LoraUpdate, factor: number): TensorSource {
  const inputs = a.length / rank;
  return {
    name: source.name,
    dtype: 'F32',
    shape: source.shape,
    async read(start, count) {
      const values = await readFloats(source, start, count);
      const sums = new Float64Array(inputs);
      for (let at = start; at < start + count; ) {
        const row = Math.floor(at / inputs);
        const end = Math.min((row + 1) * inputs, start + count);
        const from = at - row * inputs;
        const to = end - row * inputs;
        sums.fill(0, from, to);
        for (let part = 0; part < rank; part += 1) {
          const coefficient = factor * (b[row * rank + part] as number);
          for (let input = from; input < to; input += 1) {
            sums[input] = (sums[input] as number) + coefficient * (a[part * inputs + input] as number);
          }
        }
        for (let input = from; input < to; input += 1) {
          const index = row * inputs + input - start;
          values[index] = (values[index] as number) + (sums[input] as number);
        }
        at = end;
      }
      return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    },
  };
}
