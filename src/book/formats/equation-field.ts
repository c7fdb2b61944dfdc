/** Word's field EQ, which sets characters above others and fractions, and has no result. */
import type { LeftOutCounter } from '../left-out.ts';

/** A reading above its characters, as the phonetic guide of older versions of Word writes it. */
const guide =
  /\\o\s{0,9}(?:\\a[cdlr]\s{0,9})?\(\s{0,9}\\s\s{0,9}\\(?:up|do)\s{0,9}\d{0,4}\s{0,9}\(([^()]{0,200})\)\s{0,9}[,;]\s{0,9}([^()]{0,200})\)/i;
const fraction = /^\s{0,9}EQ\s{1,9}\\f\s{0,9}\(\s{0,9}([^(),;\\]{1,50})[,;]\s{0,9}([^(),;\\]{1,50})\)\s{0,9}$/i;

interface Field {
  readonly instruction: string;
  /** Entries of a list to choose from, and which is chosen. */
  readonly entries: readonly string[];
  readonly choice: number;
}

/**
 * The words of a field without a result, which may show what its instruction or its entries say.
 *
 * @param before the end of what is spoken before it
 */
export function fieldWords(
  { instruction, entries, choice }: Field,
  leftOut: LeftOutCounter,
  before?: string,
): string | undefined {
  if (!/^\s{0,99}EQ\b/i.test(instruction)) return entries[choice];
  const [, reading, base] = guide.exec(instruction) ?? [];
  const [, above, below] = fraction.exec(instruction) ?? [];
  if (base === undefined && above === undefined) leftOut.count('formulas', instruction.trim(), before);
  if (base === undefined) return above && `${above.trim()}/${below?.trim()}`;
  if (reading && !leftOut.leaves('readings')) return `${base} ${reading}`;
  if (reading) leftOut.count('readings', reading, before);
  return base;
}
