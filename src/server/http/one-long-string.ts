const backslash = 0x5c;

/**
 * Counts the characters of a JSON text, piece by piece. Tells one that has more than `most` characters besides its longest
 * string. Reads nothing in the strings; one with escaped quotes is not taken for the long one, since base64 has none.
 */
export function createLongBesideOneString(most: number) {
  let longest = 0;
  /** Characters before this piece. */
  let before = 0;
  /** Where the open string begins, with its quote; undefined between strings. */
  let start: number | undefined;
  let hasEscapedQuotes = false;
  /** Whether an odd number of backslashes ends what came before. */
  let isEscaping = false;

  const tooLongAt = (end: number): boolean => end - longest > most;

  return {
    /** Whether it has too many by now, whatever follows. */
    push(piece: string): boolean {
      let at = 0;
      for (;;) {
        const quote = piece.indexOf('"', at);
        if (quote < 0) break;
        at = quote + 1;
        const place = before + quote;
        if (start === undefined) start = place;
        else if (isEscaped(piece, quote, isEscaping)) hasEscapedQuotes = true;
        else {
          if (!hasEscapedQuotes) longest = Math.max(longest, place - start);
          start = undefined;
          hasEscapedQuotes = false;
        }
        if ((start === undefined || hasEscapedQuotes) && tooLongAt(before + at)) return true;
      }
      isEscaping = isEscaped(piece, piece.length, isEscaping);
      before += piece.length;
      return start === undefined && tooLongAt(before);
    },
    /** Whether the whole text has too many. Without the end of a string it is not JSON, which the parser says. */
    end: (): boolean => before - Math.max(longest, start === undefined || hasEscapedQuotes ? 0 : before - start) > most,
  };
}

/** @param carried whether a backslash at the end of the piece before escapes the first character */
function isEscaped(piece: string, at: number, carried: boolean): boolean {
  let first = at;
  while (first > 0 && piece.charCodeAt(first - 1) === backslash) first -= 1;
  return ((at - first) % 2 === 1) !== (first === 0 && carried);
}

/** As `createLongBesideOneString`, of a whole text. */
export function isLongBesideOneString(text: string, most: number): boolean {
  const counted = createLongBesideOneString(most);
  return counted.push(text) || counted.end();
}
