/** The last line of a terminal, which progress bars redraw and messages appear above. */

export type Terminal = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

export interface StatusLine {
  /** How much of a text fits. */
  columns(): number;
  show(text: string): void;
  /** Leaves the line to the one shown before; the last one to leave clears it. */
  clear(): void;
}

/** The texts of each terminal's open status lines; the last of them is on the screen. */
const shown = new WeakMap<NodeJS.WritableStream, Map<StatusLine, string>>();

/** Columns of a terminal that doesn't tell. */
const usualColumns = 80;
const [clearLine, wrapOff, wrapOn] = ['\r\u001b[K', '\u001b[?7l', '\u001b[?7h'];

/** @param terminal of which all status lines share the one line */
export function openStatusLine(terminal: Terminal): StatusLine {
  const texts = shown.get(terminal) ?? new Map<StatusLine, string>();
  shown.set(terminal, texts);
  const line: StatusLine = {
    columns: () => columnsOf(terminal),
    show(text) {
      const isNew = texts.get(line) !== text;
      texts.set(line, text);
      if (isNew && [...texts.keys()].at(-1) === line) draw(terminal, texts);
    },
    clear() {
      if (texts.delete(line)) draw(terminal, texts);
    },
  };
  return line;
}

/** Writes whole lines above the status line of a terminal, if it has one. */
export function writeAbove(terminal: NodeJS.WritableStream, lines: string): void {
  const texts = shown.get(terminal);
  if (texts === undefined || texts.size === 0) {
    terminal.write(lines);
    return;
  }
  terminal.write(`${clearLine}${lines}`);
  draw(terminal, texts);
}

/** Removes all status lines of a terminal, so that the prompt of a shell has a line of its own. */
export function clearStatus(terminal: NodeJS.WritableStream): void {
  const texts = shown.get(terminal);
  if (texts === undefined || texts.size === 0) return;
  texts.clear();
  terminal.write(clearLine);
}

/** Without the last column, in which a cursor would stay. A pseudo-terminal without a size has 0. */
const columnsOf = ({ columns }: Terminal): number => (columns || usualColumns) - 1;

/** Nothing wraps, wide characters neither: a second line could not be erased. */
function draw(terminal: Terminal, texts: ReadonlyMap<StatusLine, string>): void {
  const text = [...texts.values()].at(-1);
  if (text === undefined) return void terminal.write(clearLine);
  const fitting = [...text].slice(0, columnsOf(terminal)).join('');
  terminal.write(`${clearLine}${wrapOff}${fitting}${wrapOn}`);
}
