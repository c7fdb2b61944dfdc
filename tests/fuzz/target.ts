import type { Random } from './random.ts';

/** A file format: how to corrupt its files, and how to read them. */
export interface Target {
  /** Writes valid files once; rounds copy and corrupt them. */
  prepare(folder: string): Promise<void>;
  /**
   * Writes the file (or files) of one round.
   * @param source folder filled by `prepare`; must not change
   * @param work empty folder for this round
   * @returns one-line description of the corruption
   */
  mutate(source: string, work: string, random: Random): Promise<string>;
  /**
   * Reads and uses the output of `mutate` or `prepare`. Throws the reader's error if the file is refused.
   * @param random chooses among ways to use the file
   */
  run(work: string, random: Random): Promise<void>;
  /** Allowed error codes for corrupted files. */
  readonly refusals: readonly string[];
}

/** A module that exports a target. */
export const loadTarget = async (module: URL): Promise<Target> =>
  ((await import(module.href)) as { readonly target: Target }).target;
