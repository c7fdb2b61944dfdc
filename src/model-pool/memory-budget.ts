/** Decides which models give way to another within a memory limit. */

export interface Resident {
  /** Estimate of its memory. */
  readonly bytes: number;
  readonly state: 'loading' | 'loaded' | 'closing';
  readonly users: number;
  /** Time of its last use, in any unit. */
  readonly usedAt: number;
}

export interface Budget {
  readonly limit: number;
  /** Memory of the process without models. */
  readonly own: number;
  /** Memory of the process now. */
  readonly resident: number;
}

const sumOf = (some: readonly Resident[]): number => some.reduce((total, { bytes }) => total + bytes, 0);

/** Models without requests, the least recently used first. */
export const idleOf = <Instance extends Resident>(instances: Iterable<Instance>): readonly Instance[] =>
  [...instances].filter(({ state, users }) => state === 'loaded' && users === 0).sort((a, b) => a.usedAt - b.usedAt);

/**
 * Room for a model of `needed` bytes next to those in use. All numbers of memory are in bytes. None is unloaded in vain: where
 * those in use leave too little, the model waits.
 *
 * @returns `fits`: whether the model fits now; memory of a model is free only when it is closed: ask again then; `unload`: idle
 *   models to unload for it, the least recently used first
 */
export function makeRoom<Instance extends Resident>(
  needed: number,
  instances: readonly Instance[],
  { limit, own, resident }: Budget,
) {
  const idle = idleOf(instances);
  const closing = instances.filter(({ state }) => state === 'closing');
  const isAlone = idle.length + closing.length === instances.length;
  const used = Math.max(resident, own + sumOf(instances));
  const fits = used + needed <= limit || instances.length === 0;
  let left = used + needed - limit - sumOf(closing);
  if (left > sumOf(idle) && !isAlone) return { fits: false, unload: [] };
  const unload: Instance[] = [];
  for (const instance of idle) {
    if (left <= 0) break;
    left -= instance.bytes;
    unload.push(instance);
  }
  return { fits: fits && unload.length === 0, unload };
}
