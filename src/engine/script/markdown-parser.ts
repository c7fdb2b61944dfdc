/** The parser of Markdown, with limits that keep its time linear in the text. */
import MarkdownIt from 'markdown-it';
import { tameHtml } from './tame-html.ts';

/** Levels of quotes and lists, of which a list takes two. Each line is read once per level, 100 by default. */
const mostNesting = 20;

export type MarkdownParser = InstanceType<typeof MarkdownIt>;

export function createMarkdownParser(): MarkdownParser {
  const parser = new MarkdownIt({ html: true, linkify: false, typographer: false });
  parser.options.maxNesting = mostNesting;
  tameHtml(parser);
  return parser;
}

/** White space beyond ASCII. */
const otherSpaces = /[^\S\t-\r ]/gu;

/**
 * Needed before a parse with blocks of HTML: a line that begins with a tag takes markdown-it exponential time where it holds
 * white space beyond ASCII, here replaced by spaces. `tameHtml` keeps only tags within a line from that.
 */
export const withPlainSpaces = (markdown: string): string =>
  markdown.replace(/<[^\n]*/g, (line) => line.replace(otherSpaces, ' '));
