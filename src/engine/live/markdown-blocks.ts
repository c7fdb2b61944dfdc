/** Blocks of Markdown that are read as a whole: code and tables. */

export interface Block {
  readonly start: number;
  readonly end: number;
  /** Whether its end is not written yet. */
  readonly isOpen: boolean;
  /** Begins the rest of a block that is cut. */
  readonly opener: string;
}

const fence = /^[ \t]*(`{3,}|~{3,}(?!~))[^`\n]*$/;
const row = /^[ \t]*\|/;

/** In linear time. Only code between fences and tables whose rows begin with a bar. */
export function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { readonly start: number; readonly marks: string; readonly opener: string } | undefined;
  for (let start = 0; start < text.length; ) {
    const lineEnd = text.indexOf('\n', start);
    const end = lineEnd === -1 ? text.length : lineEnd + 1;
    const line = text.slice(start, end).trimEnd();
    const marks = fence.exec(line)?.[1];
    const isRow = row.test(line);
    if (open?.marks === '|' && !isRow) {
      blocks.push({ start: open.start, end: start, isOpen: false, opener: '' });
      open = undefined;
    }
    if (open === undefined) {
      if (marks !== undefined) open = { start, marks, opener: `${marks}\n` };
      else if (isRow) open = { start, marks: '|', opener: '' };
    } else if (marks?.startsWith(open.marks) && line.trim() === marks && lineEnd !== -1) {
      blocks.push({ start: open.start, end, isOpen: false, opener: '' });
      open = undefined;
    }
    start = end;
  }
  if (open !== undefined) blocks.push({ start: open.start, end: text.length, isOpen: true, opener: open.opener });
  return blocks;
}
