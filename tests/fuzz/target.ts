import type { Random } from './random.ts';

/** One file format: how its files are broken, and what reads them. */
export interface Target {
  /** Writes valid files once; rounds copy and break them. */
  prepare(folder: string): Promise<void>;
  /**
   * Writes the file (or files) of one round.
   * @param source the folder that `prepare` filled; not to be changed
   * @param work an empty folder of this round
   * @returns what was broken, in one line
   */
  mutate(source: string, work: string, random: Random): Promise<string>;
  /**
   * Reads and uses what `mutate` wrote, or the folder that `prepare` filled. Returns when the file could be used, throws the
   * reader's error when it was refused.
   * @param random chooses among ways to use the file
   */
  run(work: string, random: Random): Promise<void>;
  /** Error codes that a broken file may be refused with. */
  readonly refusals: readonly string[];
}

/** The target that a file exports. */
export const loadTarget = async (module: URL): Promise<Target> =>
  ((await import(module.href)) as { readonly target: Target }).target;
