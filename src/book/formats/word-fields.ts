/** Fields of a Word document (ECMA-376 Part 1, 17.16): an instruction, and what it gave when the document was saved. */
import type { LeftOutCounter, LeftOutKind } from '../left-out.ts';

export interface Field {
  instruction: string;
  isResult: boolean;
  /** Kind of what it gives. */
  drop: LeftOutKind | undefined;
  isCounted: boolean;
  /** Entries of a list to choose from, and which is chosen. */
  readonly entries: string[];
  choice: number;
}

/** Kind of what the field of an instruction gives, if listeners would skip it. */
export function fieldKind(instruction: string): 'contents' | 'index' | undefined {
  if (/^\s*(?:TOC|TOA|RD)\b/i.test(instruction)) return 'contents';
  return /^\s*INDEX\b/i.test(instruction) ? 'index' : undefined;
}

/** Field EQ: a reading above its characters, as the phonetic guide of older versions of Word writes it. */
const guide =
  /\\o\s{0,9}(?:\\a[cdlr]\s{0,9})?\(\s{0,9}\\s\s{0,9}\\(?:up|do)\s{0,9}\d{0,4}\s{0,9}\(([^()]{0,200})\)\s{0,9}[,;]\s{0,9}([^()]{0,200})\)/i;
const fraction = /^\s{0,9}EQ\s{1,9}\\f\s{0,9}\(\s{0,9}([^(),;\\]{1,50})[,;]\s{0,9}([^(),;\\]{1,50})\)\s{0,9}$/i;

/**
 * The words of a field without a result, which may show what its instruction or its entries say.
 *
 * @param before the end of what is spoken before it
 */
export function fieldWords(
  { instruction, entries, choice }: Pick<Field, 'instruction' | 'entries' | 'choice'>,
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

export class WordFields {
  readonly #open: Field[] = [];
  readonly #leaves: (kind: LeftOutKind) => boolean;
  /** Open fields whose result has not begun. */
  #instructions = 0;
  /** The outermost field whose result is left out. */
  left: Field | undefined;

  constructor(leaves: (kind: LeftOutKind) => boolean) {
    this.#leaves = leaves;
  }

  /** Whether text is part of an instruction. */
  get isInstruction(): boolean {
    return this.#instructions > 0;
  }

  readInstruction(text: string): void {
    const field = this.#open.at(-1);
    if (field !== undefined && !field.isResult) field.instruction += text;
  }

  /** @returns the field that ends here without a result */
  readMark(type: string | undefined): Field | undefined {
    if (type === 'begin') {
      this.#open.push({ instruction: '', isResult: false, drop: undefined, isCounted: false, entries: [], choice: 0 });
      this.#instructions += 1;
      return undefined;
    }
    const field = this.#open.at(-1);
    if (field === undefined) return undefined;
    if (type === 'separate' && !field.isResult) {
      field.isResult = true;
      this.#instructions -= 1;
      const kind = fieldKind(field.instruction);
      if (kind === undefined || !this.#leaves(kind)) return undefined;
      field.drop = kind;
      this.left ??= field;
    }
    if (type !== 'end') return undefined;
    this.#open.pop();
    if (this.left === field) this.left = undefined;
    if (field.isResult) return undefined;
    this.#instructions -= 1;
    return field;
  }

  /** @param name of an element of the list to choose from */
  readChoice(name: string, value: string): void {
    const field = this.#open.at(-1);
    if (field === undefined) return;
    if (name === 'w:listEntry') field.entries.push(value);
    if (name === 'w:result' || name === 'w:default') field.choice = Number(value) || 0;
  }
}
