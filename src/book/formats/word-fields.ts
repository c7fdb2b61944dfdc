/** Fields of a Word document (ECMA-376 Part 1, 17.16): an instruction, and what it gave when the document was saved. */
import type { LeftOutKind } from '../left-out.ts';

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

/** The open fields, which may be within each other. */
export class WordFields {
  readonly #open: Field[] = [];
  readonly #leaves: (kind: LeftOutKind) => boolean;
  /** Open fields whose result has not begun. */
  #instructions = 0;
  #left: Field | undefined;

  constructor(leaves: (kind: LeftOutKind) => boolean) {
    this.#leaves = leaves;
  }

  /** Whether text is part of an instruction. */
  get isInstruction(): boolean {
    return this.#instructions > 0;
  }

  /** The outermost field whose result is left out. */
  get left(): Field | undefined {
    return this.#left;
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
      this.#left ??= field;
    }
    if (type !== 'end') return undefined;
    this.#open.pop();
    if (this.#left === field) this.#left = undefined;
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
