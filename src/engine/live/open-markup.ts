/** Mark-up whose end may not be written yet: within a line, and blocks of Markdown. */

/** Its beginning and end, and the most characters, after which it is text. */
type Opening = readonly [opens: RegExp, closes: string, most: number];

const always: readonly Opening[] = [
  // Tags, links and phonemes.
  [/\[/g, ']', 120],
  [/\{/g, '}', 120],
  // Sentences in brackets belong together.
  [/(?<!\S)\(/g, ')', 300],
  [/（/g, '）', 300],
  [/【/g, '】', 300],
  [/《/g, '》', 300],
];

const ofMarkdown: readonly Opening[] = [
  [/\]\(/g, ')', 300],
  [/\$\$/g, '$$', 1000],
  [/\\\[/g, '\\]', 1000],
  [/<(?=[\p{L}/!]|$)/gu, '>', 300],
  ...['***', '**', '*', '___', '__', '_', '~~', '==', '```', '``', '`'].map((marks): Opening => {
    const escaped = marks.replaceAll('*', String.raw`\*`);
    return [new RegExp(String.raw`(?<![\p{L}\p{N}*_~=\x60\\])${escaped}(?![\s*_~=\x60])`, 'gu'), marks, 300];
  }),
];

const longestLinkText = 300;

export interface MarkupSpan {
  readonly start: number;
  readonly end: number;
  /** Whether its end is not written yet. */
  readonly isOpen: boolean;
}

export function markupSpans(text: string, markup: 'markdown' | 'none'): readonly MarkupSpan[] {
  const spans: MarkupSpan[] = [];
  for (const [opens, closes, most] of markup === 'markdown' ? [...always, ...ofMarkdown] : always) {
    let closed = 0;
    for (const { 0: found, index: start } of text.matchAll(opens)) {
      if (start < closed) continue;
      const close = text.slice(start, start + most).indexOf(closes, found.length);
      if (close !== -1) {
        closed = start + close + closes.length;
        spans.push({ start, end: closed, isOpen: false });
      } else if (text.length - start < most) {
        spans.push({ start, end: text.length, isOpen: true });
      }
    }
  }
  // An address may follow the words of a link.
  const link = text.lastIndexOf('[');
  if (markup === 'markdown' && text.endsWith(']') && link !== -1 && text.length - link < longestLinkText)
    spans.push({ start: link, end: text.length, isOpen: true });
  return spans;
}

/**
 * The text for the rules that find sentences: closing marks of emphasis become closing quotes, and script tags white space. The
 * length stays.
 */
export const withoutTags = (text: string): string =>
  text
    .replace(/\[(?:pause|voice):[^[\]\n]{0,100}\]/gi, (tag) => ' '.repeat(tag.length))
    .replace(/(?<=[.!?…。！？]["'”’)]{0,3})[*_~`]{1,3}(?=\s|$)/gu, (marks) => '’'.repeat(marks.length));

/** A block of Markdown that is read or left out as a whole: code, a table, a note, or settings in front of the text. */
export interface Block extends MarkupSpan {
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
