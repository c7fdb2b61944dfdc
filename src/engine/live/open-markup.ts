/** Mark-up whose end may not be written yet. */

interface Opening {
  readonly opens: RegExp;
  readonly closes: string;
  /** Longest mark-up, after which it is text. */
  readonly most: number;
}

const opening = (opens: RegExp, closes: string, most: number): Opening => ({ opens, closes, most });

const always: readonly Opening[] = [
  // Tags, links and phonemes.
  opening(/\[/g, ']', 120),
  opening(/\{/g, '}', 120),
  // Sentences in brackets belong together.
  opening(/(?<!\S)\(/g, ')', 300),
  opening(/（/g, '）', 300),
  opening(/【/g, '】', 300),
  opening(/《/g, '》', 300),
];

const ofMarkdown: readonly Opening[] = [
  opening(/\]\(/g, ')', 300),
  opening(/\$\$/g, '$$', 1000),
  opening(/\\\[/g, '\\]', 1000),
  opening(/<(?=[\p{L}/!]|$)/gu, '>', 300),
  ...['***', '**', '*', '___', '__', '_', '~~', '==', '```', '``', '`'].map((marks) =>
    opening(
      new RegExp(String.raw`(?<![\p{L}\p{N}*_~=\x60\\])${marks.replaceAll('*', String.raw`\*`)}(?![\s*_~=\x60])`, 'gu'),
      marks,
      300,
    ),
  ),
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
  for (const { opens, closes, most } of markup === 'markdown' ? [...always, ...ofMarkdown] : always) {
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
