/** A text that grows by pieces, of which only the end is looked at: what looks for an end goes through all that is before it. */

/** UTF-16 code units of the end: those of a long word. */
const longestEnd = 100;

export interface GrowingText {
  /** The last characters. */
  readonly end: string;
  readonly length: number;
  add(piece: string): void;
  /** Takes back the last code unit. */
  cut(): void;
  whole(): string;
}

export function createGrowingText(first = ''): GrowingText {
  const pieces: string[] = [];
  let last = first;
  let end = first.slice(-longestEnd);
  let length = first.length;
  return {
    get end() {
      return end;
    },
    get length() {
      return length;
    },
    add(piece) {
      if (piece === '') return;
      pieces.push(last);
      last = piece;
      end = (end + piece).slice(-longestEnd);
      length += piece.length;
    },
    cut() {
      last = last.slice(0, -1);
      end = end.slice(0, -1);
      length = Math.max(0, length - 1);
    },
    whole: () => pieces.join('') + last,
  };
}
