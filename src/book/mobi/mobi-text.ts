/** The pages of a Mobipocket or Kindle book as one page of HTML, with its table of contents. */
/** An entry of the table of contents. */
export interface ContentsEntry {
  readonly title: string;
  /** Id of an element. */
  readonly id: string;
  readonly depth: number;
}

export interface MobiText {
  readonly html: string;
  readonly sheets: readonly string[];
  readonly contents: readonly ContentsEntry[];
}
