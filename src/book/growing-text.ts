/** A text that grows by pieces, of which only the end is looked at: what looks for an end goes through all that is before it. */

/** UTF-16 code units of the end: those of a long word. */
const longestEnd = 100;

export class GrowingText {
  readonly #pieces: string[] = [];
  #last: string;
  /** The last characters. */
  end: string;
  length: number;

  constructor(first = '') {
    this.#last = first;
    this.end = first.slice(-longestEnd);
    this.length = first.length;
  }

  add(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(this.#last);
    this.#last = piece;
    this.end = (this.end + piece).slice(-longestEnd);
    this.length += piece.length;
  }

  /** Takes back the last code unit. */
  cut(): void {
    this.#last = this.#last.slice(0, -1);
    this.end = this.end.slice(0, -1);
    this.length = Math.max(0, this.length - 1);
  }

  whole(): string {
    return this.#pieces.join('') + this.#last;
  }
}
