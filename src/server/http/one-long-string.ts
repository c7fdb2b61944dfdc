const backslash = 0x5c;

/**
 * Whether a JSON text has more than `most` characters besides its longest string. Reads no further than it must, and
 * nothing in the strings; a string with escaped quotes is not taken for the long one, since base64 has none.
 */
export function isLongBesideOneString(text: string, most: number): boolean {
  let longest = 0;
  for (let at = 0; ; ) {
    const start = text.indexOf('"', at);
    if (start < 0) return text.length - longest > most;
    let end = text.indexOf('"', start + 1);
    let length = end - start;
    while (end > 0 && isEscaped(text, end)) {
      length = 0;
      if (end - longest > most) return true;
      end = text.indexOf('"', end + 1);
    }
    // Not JSON, which the parser says.
    if (end < 0) return text.length - Math.max(longest, text.length - start) > most;
    longest = Math.max(longest, length);
    at = end + 1;
    if (at - longest > most) return true;
  }
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === backslash) first -= 1;
  return (at - first) % 2 === 1;
}
