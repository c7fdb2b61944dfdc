/**
 * Checks that stored weights are those of the checkpoint, rounded. The bounds follow from the bits alone, computed from
 * the checkpoint's values, not from the stored scales, which may be wrong:
 *
 * - float16: half a unit in the last place, `2^-11 · |w|`, or `2^-25` for subnormal numbers
 * - int8 columns: half a step, `max |column| / 64 / 2`
 * - blocks of 4 or 8 bits: half a step, `max |block| / 2^(bits - 1) / 2`. The codes end one step earlier on the side
 *   opposite to the extreme, so a value beyond the last code may be off by its distance to it, at most one step
 *
 * plus `2^-20 · |w|` for the float32 arithmetic of scales, and of weight normalization folded by other exporters.
 */
import { readWeight, type Weight } from './graph.ts';
import { columnLevels } from './quantize.ts';
import type { StoredWeight } from './stored-weights.ts';

const floatSlack = 2 ** -20;

/** The allowed error of each value; `at` is its index in the original. */
type Bound = (at: number) => number;

function boundOf(stored: StoredWeight, original: Float32Array): Bound {
  const value = (at: number): number => original[at] ?? 0;
  if (stored.format === 'half') return (at) => Math.max(Math.abs(value(at)) * 2 ** -11, 2 ** -25);
  const [inputs, outputs] = stored.shape;
  const block = stored.format === 'columns' ? inputs : stored.block;
  const blocks = Math.ceil(inputs / block);
  const placeOf = (at: number): number => (at % outputs) * blocks + Math.floor(Math.floor(at / outputs) / block);
  const extremes = new Float32Array(blocks * outputs);
  for (let at = 0; at < original.length; at += 1) {
    const place = placeOf(at);
    if (Math.abs(value(at)) > Math.abs(extremes[place] ?? 0)) extremes[place] = value(at);
  }
  if (stored.format === 'columns') return (at) => Math.abs(extremes[placeOf(at)] ?? 0) / columnLevels / 2;
  const levels = 2 ** (stored.bits - 1);
  return (at) => {
    const extreme = extremes[placeOf(at)] ?? 0;
    const step = Math.abs(extreme) / levels;
    const beyondLastCode = value(at) * extreme < 0 ? Math.abs(value(at)) - (levels - 1) * step : 0;
    return Math.max(step / 2, beyondLastCode);
  };
}

/**
 * The largest error of a stored weight, relative to its bound; infinite if the shapes differ or a value is no number.
 *
 * @param enough stops at the first error above this
 */
export async function weightError(
  stored: StoredWeight,
  decoded: Float32Array,
  original: Weight,
  enough = Number.POSITIVE_INFINITY,
): Promise<number> {
  if (stored.shape.join() !== original.shape.join()) return Number.POSITIVE_INFINITY;
  const expected = new Float32Array((await readWeight(original)).buffer);
  const bound = boundOf(stored, expected);
  let worst = 0;
  for (let at = 0; at < expected.length; at += 1) {
    const value = expected[at] ?? 0;
    const error = Math.abs((decoded[at] ?? Number.NaN) - value);
    const relative = error === 0 ? 0 : error / (bound(at) + floatSlack * Math.abs(value));
    if (relative <= worst) continue;
    // Also if it is NaN.
    if (!(relative < Number.POSITIVE_INFINITY)) return Number.POSITIVE_INFINITY;
    worst = relative;
    if (worst > enough) return worst;
  }
  return worst;
}
