import { type Golden, type GoldenTensor, readGolden, readSafetensors } from '../support/golden.ts';

type Values = ArrayLike<number>;

/** A line of the report. */
export interface Check {
  readonly name: string;
  readonly verdict: 'ok' | 'FAILED' | 'absent';
  /** Largest absolute difference; absent for decisions and missing values. */
  readonly difference?: number;
  readonly tolerance?: number;
  readonly note?: string;
}

/**
 * Factors for the recorded tolerances, which hold for float32 on a CPU; `Infinity` requires only the right number of
 * finite values. Complete runs have a separate factor, because one flipped rounding in the quantizer of the hidden states
 * changes everything after it.
 */
export interface ToleranceFactors {
  readonly stages: number;
  readonly runs: number;
  /** Largest absolute difference between streamed audio and decoding at once; both are computed here. */
  readonly streamed: number;
}

const streamed = 1e-5;
export const exact: ToleranceFactors = { stages: 1, runs: 1, streamed };
export const finiteOnly: ToleranceFactors = {
  stages: Number.POSITIVE_INFINITY,
  runs: Number.POSITIVE_INFINITY,
  streamed,
};

/** Collects checks against a golden folder and tracks which entries have not been computed. */
export class Comparison {
  readonly golden: Golden;
  readonly factors: ToleranceFactors;
  readonly checks: Check[] = [];
  readonly #tensors: ReadonlyMap<string, GoldenTensor>;
  readonly #open: Set<string>;
  readonly #report: (check: Check) => void;

  constructor(directory: string, factors: ToleranceFactors, report: (check: Check) => void) {
    this.golden = readGolden(directory);
    this.factors = factors;
    this.#tensors = readSafetensors(`${directory}/golden.safetensors`);
    this.#open = new Set(Object.keys(this.golden.tol));
    this.#report = report;
  }

  get failures(): readonly Check[] {
    return this.checks.filter(({ verdict }) => verdict === 'FAILED');
  }

  has(name: string): boolean {
    return this.#tensors.has(name);
  }

  /** Names of all tensors that match, inputs included. */
  names(pattern: RegExp): string[] {
    return [...this.#tensors.keys()].filter((name) => pattern.test(name));
  }

  tensor(name: string): GoldenTensor {
    const tensor = this.#tensors.get(name);
    if (!tensor) throw new Error(`golden.safetensors has no tensor ${name}`);
    return tensor;
  }

  floats(name: string): Float32Array {
    const { data } = this.tensor(name);
    if (!(data instanceof Float32Array)) throw new Error(`${name} must be float32, got int32`);
    return data;
  }

  /** Compares with the golden tensor of this name, if any, within its recorded tolerance times the factor. */
  meet(name: string, actual: Values, label = name): void {
    if (!this.has(name)) return;
    this.close(label, actual, this.floats(name), this.toleranceOf(name));
  }

  /** The largest difference from the golden tensor of this name. */
  toleranceOf(name: string): number {
    return (this.golden.tol[name] ?? 0) * this.#factor(name);
  }

  /** Compares with given values, within a tolerance that applies at every precision. */
  close(name: string, actual: Values, expected: Values, tolerance: number): void {
    this.#open.delete(name);
    if (actual.length !== expected.length) {
      this.#add({ name, verdict: 'FAILED', note: `${actual.length} values instead of ${expected.length}` });
      return;
    }
    const difference = largestDifference(actual, expected);
    const passed = difference <= tolerance && Number.isFinite(difference);
    this.#add({ name, verdict: passed ? 'ok' : 'FAILED', difference, tolerance });
  }

  /** Compares decisions: ids, masks, lengths. Skipped where values are not compared. */
  equal(name: string, actual: ArrayLike<unknown>, expected: ArrayLike<unknown>): void {
    const first = firstMismatch(actual, expected);
    if (first === undefined) this.#add({ name, verdict: 'ok' });
    else if (!Number.isFinite(this.#factor(name)))
      this.#add({ name, verdict: 'ok', note: 'differs; not judged at this precision' });
    else {
      const note = `${String(actual[first])} instead of ${String(expected[first])} at ${first} of ${expected.length} (${actual.length} values)`;
      this.#add({ name, verdict: 'FAILED', note });
    }
  }

  /** Lists an entry without a counterpart in the engine. */
  absent(name: string, note: string): void {
    this.#open.delete(name);
    this.#add({ name, verdict: 'absent', note });
  }

  /** Excludes entries that were not requested. */
  leaveOut(prefix: string): void {
    for (const name of this.#open) if (name.startsWith(prefix)) this.#open.delete(name);
  }

  /** Runs one part; an exception becomes a failed check, so that other parts are still compared. */
  async part(name: string, body: () => Promise<void>): Promise<void> {
    try {
      await body();
    } catch (error) {
      this.#add({ name, verdict: 'FAILED', note: error instanceof Error ? error.message : String(error) });
    }
  }

  /** Fails every entry that has a tolerance and was not computed. */
  finish(): void {
    for (const name of this.#open) this.#add({ name, verdict: 'FAILED', note: 'not computed' });
    this.#open.clear();
  }

  #factor(name: string): number {
    return name.startsWith('e2e.') ? this.factors.runs : this.factors.stages;
  }

  #add(check: Check): void {
    this.checks.push(check);
    this.#report(check);
  }
}

function largestDifference(actual: Values, expected: Values): number {
  let largest = 0;
  for (let index = 0; index < expected.length; index++) {
    const difference = (actual[index] as number) - (expected[index] as number);
    // Avoids globals: in Jest's sandbox, each access costs more than the comparison.
    const magnitude = difference < 0 ? -difference : difference;
    if (magnitude > largest) largest = magnitude;
    // Comparisons with NaN are always false.
    if (!(magnitude >= 0)) return magnitude;
  }
  return largest;
}

function firstMismatch(actual: ArrayLike<unknown>, expected: ArrayLike<unknown>): number | undefined {
  const length = Math.max(actual.length, expected.length);
  for (let index = 0; index < length; index++) if (actual[index] !== expected[index]) return index;
  return undefined;
}
