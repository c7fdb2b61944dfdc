/**
 * From how many columns on products are computed in tile registers (AMX) rather than in vectors. Both read the same packed
 * weights and give the same bits; which is faster is measured once on each kind of processor, in about 50 ms.
 */
import { createHash } from 'node:crypto';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { userFolder } from '../../../files/user-folders.ts';
import { findPackage } from '../../../package/package-root.ts';
import type { Addon } from './addon.ts';
import { stampOf } from './gpu/driver.ts';
import { keep, readKept } from './kept.ts';
import type { LoadedAddon } from './load-addon.ts';

/** Kernels with both. */
export const tileKernels = 'amx';

/** The least numbers of columns of products with int8 and with int4 weights. */
export interface TileLimits {
  readonly bytes: number;
  readonly nibbles: number;
}

/** Microseconds of a product, of each of some numbers of columns. */
export interface ProductTimes {
  readonly vectors: ArrayLike<number>;
  readonly tiles: ArrayLike<number>;
}

/** Ascending: one session's language model, LocDiT of one to four sessions, and what prefills have at least. */
const measuredColumns = Int32Array.of(1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40);
const rounds = 5;

/** More than any product has. */
const never = 2 ** 31 - 1;

/** How much faster tiles must be: less is within what measurements differ. */
const advantage = 0.97;

/** The first of the ascending numbers of columns from which on tiles are faster; `never` if vectors are at the end. */
export function leastColumns(columns: ArrayLike<number>, { vectors, tiles }: ProductTimes): number {
  let least = never;
  for (let index = columns.length - 1; index >= 0; index--) {
    if (!(Number(tiles[index]) < advantage * Number(vectors[index]))) break;
    least = columns[index] ?? never;
  }
  return least;
}

let applied: Promise<void> | undefined;

/** Sets the limits of this process by what was measured on such a processor, or measures. Once in a process. */
export function useMeasuredTiles(native: LoadedAddon, cacheFolder: string | undefined): Promise<void> {
  applied ??= tileLimits(native, cpus()[0]?.model ?? '', cacheFolder).then((limits) => {
    if (limits !== undefined) native.addon.setTileLimits(limits.bytes, limits.nibbles);
  });
  return applied;
}

/** The limits for a processor: kept, or measured and kept; undefined if the addon can't measure them here. */
export async function tileLimits(
  { addon, binary }: Pick<LoadedAddon, 'binary'> & { readonly addon: Pick<Addon, 'productTimes'> },
  processor: string,
  cacheFolder: string = userFolder('cache'),
): Promise<TileLimits | undefined> {
  const identity = JSON.stringify([findPackage().version, stampOf(binary), processor]);
  const hash = createHash('sha256').update(processor).digest('hex').slice(0, 12);
  const file = join(cacheFolder, 'kernels', `tiles-${hash}.json`);
  const kept = (await readKept(file)) as { readonly identity?: string; readonly limits?: TileLimits } | undefined;
  if (kept?.identity === identity && isLimits(kept.limits)) return kept.limits;
  const least = (type: string): number | undefined => {
    const times = addon.productTimes(tileKernels, type, measuredColumns, rounds);
    return times && leastColumns(measuredColumns, times);
  };
  const [bytes, nibbles] = [least('q8_0'), least('q4_0')];
  if (bytes === undefined || nibbles === undefined) return undefined;
  const limits = { bytes, nibbles };
  await keep(file, { identity, limits });
  return limits;
}

const isLimits = (value: Partial<TileLimits> | undefined): value is TileLimits =>
  [value?.bytes, value?.nibbles].every(
    (limit) => Number.isInteger(limit) && (limit as number) >= 1 && (limit as number) <= never,
  );
