/**
 * Folds weight normalization into plain weights: w = g · v / ‖v‖, with the norm over all dimensions except the first.
 */
import { SvcError } from '../src/errors.ts';
import { elementCount } from '../src/formats/safetensors.ts';
import { readFloats, type TensorSource } from '../src/formats/tensor-source.ts';

/** Names of gain and direction in `torch.nn.utils.weight_norm` and its parametrization. */
const spellings = [
  { gain: 'weight_g', direction: 'weight_v' },
  { gain: 'parametrizations.weight.original0', direction: 'parametrizations.weight.original1' },
] as const;

/**
 * Replaces every pair of gain and direction by its `weight`, computed on reading.
 *
 * @throws SvcError MODEL_INVALID if one of a pair is missing or the shapes do not match
 */
export function foldWeightNorm(tensors: readonly TensorSource[], source: string): TensorSource[] {
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const partnerOf = (tensor: TensorSource, partner: string): TensorSource => {
    const found = byName.get(partner);
    if (found) return found;
    throw new SvcError('MODEL_INVALID', `${source}: tensor "${partner}" is missing for "${tensor.name}"`);
  };
  return tensors.flatMap((tensor) => {
    for (const { gain, direction } of spellings) {
      if (tensor.name.endsWith(`.${gain}`)) {
        partnerOf(tensor, tensor.name.slice(0, -gain.length) + direction);
        return [];
      }
      if (tensor.name.endsWith(`.${direction}`)) {
        const stem = tensor.name.slice(0, -direction.length);
        return [folded(`${stem}weight`, tensor, partnerOf(tensor, stem + gain), source)];
      }
    }
    return [tensor];
  });
}

function folded(name: string, direction: TensorSource, gain: TensorSource, source: string): TensorSource {
  const [rows = 1, ...rest] = direction.shape;
  const rowLength = elementCount(rest);
  if (gain.shape[0] !== rows || elementCount(gain.shape) !== rows) {
    throw new SvcError(
      'MODEL_INVALID',
      `${source}: tensor "${gain.name}" has shape ${gain.shape.join('×')}, expected ${[rows, ...rest.map(() => 1)].join('×')}`,
    );
  }
  return {
    name,
    dtype: 'F32',
    shape: direction.shape,
    read: async (start, count) => {
      const first = Math.floor(start / rowLength);
      const rowCount = Math.ceil((start + count) / rowLength) - first;
      const gains = await readFloats(gain, first, rowCount);
      const values = await readFloats(direction, first * rowLength, rowCount * rowLength);
      for (let row = 0; row < rowCount; row += 1)
        normalise(values.subarray(row * rowLength, (row + 1) * rowLength), gains[row] ?? 0);
      const skipped = start - first * rowLength;
      return new Uint8Array(values.slice(skipped, skipped + count).buffer);
    },
  };
}

function normalise(row: Float32Array, gain: number): void {
  let sum = 0;
  for (const value of row) sum += value * value;
  // The weight of a zero direction is zero.
  const scale = sum === 0 ? 0 : gain / Math.sqrt(sum);
  for (let index = 0; index < row.length; index += 1) row[index] = (row[index] ?? 0) * scale;
}
