const control = String.fromCharCode(27);
const tokens = new RegExp(`${control}\\[[\\d;?]*[a-zA-Z]|${control}.|[^]`, 'gu');
/** Colors, and whether long lines wrap. */
const unseen = new RegExp(`^${control}\\[(?:[\\d;]*m|\\?7[hl])$`);

/**
 * Screen of a terminal after it got some text: its lines without trailing blanks. Knows what svc writes: carriage return, line
 * feed, colors, and erasing to the end of the line. Lines don't wrap.
 *
 * @throws Error for any other control sequence
 */
export function screenOf(written: string): readonly string[] {
  const lines: string[][] = [[]];
  let column = 0;
  for (const [token] of written.matchAll(tokens)) {
    const line = lines.at(-1) as string[];
    if (token === '\r') column = 0;
    else if (token === '\n') {
      lines.push([]);
      column = 0;
    } else if (token === '\u001b[K') line.length = column;
    else if (unseen.test(token)) continue;
    else if (token < ' ') throw new Error(`the screen doesn't know ${JSON.stringify(token)}`);
    else {
      line[column] = token;
      column += 1;
    }
  }
  return lines.map((line) =>
    Array.from(line, (cell) => cell ?? ' ')
      .join('')
      .trimEnd(),
  );
}
