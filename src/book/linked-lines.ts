/** Lines in a row of which all words are links to places of the book, as tables of contents are without saying so. */

const fewestLines = 3;
/** Characters: whole paragraphs that are links are text. */
const longestLine = 200;

export class LinkedLines {
  /** Place of the first line and of the last one, and number of the last one and of one with other words. */
  #start = 0;
  #lineStart = 0;
  #line = -1;
  #mixed = -1;
  #lines = 0;
  #length = 0;

  /**
   * @param words of a link
   * @param at their place
   * @param line the number of their line
   */
  add(words: string, at: number, line: number): void {
    if (words.trim() === '' || line === this.#mixed) return;
    if (line !== this.#line) {
      if (this.#lines === 0) this.#start = at;
      this.#lineStart = at;
      this.#line = line;
      this.#lines += 1;
      this.#length = 0;
    }
    this.#length += words.length;
    if (this.#length > longestLine) this.#lines = Number.NEGATIVE_INFINITY;
  }

  /** Ends the row at words that are no link. @returns the places of its beginning and end, if it is one */
  end(at: number, line: number): readonly [start: number, end: number] | undefined {
    const isMixed = line === this.#line;
    const lines = this.#lines - (isMixed ? 1 : 0);
    this.#mixed = line;
    this.#line = -1;
    this.#lines = 0;
    return lines >= fewestLines ? [this.#start, isMixed ? this.#lineStart : at] : undefined;
  }
}
