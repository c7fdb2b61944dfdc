/** Blocks of Markdown that are read or left out as a whole: code, tables, notes, and settings in front of the text. */

export interface Block {
  readonly start: number;
  readonly end: number;
  /** Whether its end is not written yet. */
  readonly isOpen: boolean;
  /** Begins the rest of a block that is cut. */
  readonly opener: string;
}

/** A fence of few marks: they open the block again where it is cut, and thousands would fill all of what is looked at. */
const fence = /^[ \t]*(`{3,100}|~{3,100}(?!~))[^`\n]*$/;
const row = /^[ \t]*\|/;
const note = /^\[\^[^\]\s]{1,60}\]:/;
const frontMatter = /^(---|\+\+\+)[ \t]*\r?\n[\w-]{1,60}[ \t]*[:=]/;

/** In linear time. Only code between fences, tables whose rows begin with a bar, and notes up to a blank line. */
export function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  const [, settings = ''] = frontMatter.exec(text) ?? [];
  let open: { readonly start: number; readonly marks: string; readonly opener: string } | undefined;
  for (let start = 0; start < text.length; ) {
    const lineEnd = text.indexOf('\n', start);
    const end = lineEnd === -1 ? text.length : lineEnd + 1;
    const line = text.slice(start, end).trimEnd();
    const marks = fence.exec(line)?.[1];
    const isRow = row.test(line);
    const [noteMark] = note.exec(line.slice(0, 80)) ?? [];
    if ((open?.marks === '|' && !isRow) || (open?.marks === '^' && (line === '' || noteMark !== undefined))) {
      blocks.push({ start: open.start, end: start, isOpen: false, opener: '' });
      open = undefined;
    }
    const isEndOf = (begun: string): boolean =>
      line.trim() === (begun === settings ? settings : marks) && line.trim().startsWith(begun);
    if (open === undefined) {
      if (start === 0 && settings !== '') open = { start, marks: settings, opener: `${settings}\nx: ` };
      else if (noteMark !== undefined) open = { start, marks: '^', opener: `${noteMark} ` };
      else if (marks !== undefined) open = { start, marks, opener: `${marks}\n` };
      else if (isRow) open = { start, marks: '|', opener: '' };
    } else if (lineEnd !== -1 && isEndOf(open.marks)) {
      blocks.push({ start: open.start, end, isOpen: false, opener: '' });
      open = undefined;
    }
    start = end;
  }
  if (open !== undefined) blocks.push({ start: open.start, end: text.length, isOpen: true, opener: open.opener });
  return blocks;
}
