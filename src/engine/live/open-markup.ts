/** Mark-up whose end may not be written yet. */

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
  /** Whether its end is not there. */
  readonly isOpen: boolean;
}

/** Mark-up in which no text is cut. */
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
