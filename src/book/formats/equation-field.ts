/** Word's field EQ, which sets characters above others and fractions, and has no result. */

/** A reading above its characters, as the phonetic guide of older versions of Word writes it. */
const guide =
  /\\o\s{0,9}(?:\\a[cdlr]\s{0,9})?\(\s{0,9}\\s\s{0,9}\\(?:up|do)\s{0,9}\d{0,4}\s{0,9}\(([^()]{0,200})\)\s{0,9}[,;]\s{0,9}([^()]{0,200})\)/i;
const fraction = /^\s{0,9}EQ\s{1,9}\\f\s{0,9}\(\s{0,9}([^(),;\\]{1,50})[,;]\s{0,9}([^(),;\\]{1,50})\)\s{0,9}$/i;

export interface EquationWords {
  /** Undefined for a formula. */
  readonly words: string | undefined;
  /** How the words are read. */
  readonly reading?: string | undefined;
}

/** @returns undefined for other fields */
export function equationWords(instruction: string): EquationWords | undefined {
  if (!/^\s{0,99}EQ\b/i.test(instruction)) return undefined;
  const [, reading, base] = guide.exec(instruction) ?? [];
  if (base !== undefined) return { words: base, reading };
  const [, above, below] = fraction.exec(instruction) ?? [];
  return { words: above === undefined ? undefined : `${above.trim()}/${below?.trim()}` };
}
