/** Lines in a row of which all words are links to places of the book, as tables of contents are without saying so. */

const fewestLines = 3;
const longestLine = 200;

export class LinkedLines {
  #start: number | undefined;
  #lines = 0;
  #last = -2;
  #length = 0;

  /** @param at number of segments before these words of a link */
  add(at: number, words: string): void {
    if (words.trim() === '') return;
    this.#start ??= at;
    // Between lines are pauses.
    if (at > this.#last + 1) {
      this.#lines += 1;
      this.#length = 0;
    }
    this.#last = at;
    this.#length += words.length;
    // Whole paragraphs that are links are text.
    if (this.#length > longestLine) this.#lines = Number.NEGATIVE_INFINITY;
  }

  /** Ends the row. @returns where it began, if it is one */
  end(): number | undefined {
    const start = this.#lines >= fewestLines ? this.#start : undefined;
    this.#start = undefined;
    this.#lines = this.#length = 0;
    this.#last = -2;
    return start;
  }
}
