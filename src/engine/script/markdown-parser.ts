/** The parser of Markdown, with limits that keep its time linear in the text. */
import MarkdownIt from 'markdown-it';

/** Levels of quotes and lists, of which a list takes two. Each line is read once per level, 100 by default. */
const mostNesting = 20;

export type MarkdownParser = InstanceType<typeof MarkdownIt>;

export function createMarkdownParser(): MarkdownParser {
  const parser = new MarkdownIt({ html: true, linkify: false, typographer: false });
  parser.options.maxNesting = mostNesting;
  tameHtml(parser);
  return parser;
}

/** As in CommonMark, and as markdown-it reads tags without such space: either all of its choices are forced, or it fails. */
const space = String.raw`[\t-\r ]`;
const attribute = `${space}+[a-zA-Z_:][a-zA-Z0-9:._-]*(?:${space}*=${space}*(?:[^"'=<>\`\\x00-\\x20]+|'[^']*'|"[^"]*"))?`;
const tagHere = new RegExp(
  String.raw`<[A-Za-z][A-Za-z0-9-]*(?:${attribute})*${space}*\/?>|<\/[A-Za-z][A-Za-z0-9-]*${space}*>`,
  'y',
);

/**
 * Keeps markdown-it's pattern for HTML tags from texts for which it takes exponential time: values of attributes may contain
 * white space beyond ASCII, such as a no-break space, which it also takes for the space between attributes. What it makes of a
 * text stays, but for tags with such space between attributes.
 */
function tameHtml({ inline }: MarkdownParser): void {
  // A tag that is none is text, as it is without any rule.
  inline.ruler.before('html_inline', 'untagged', (state, silent) => {
    const { src, pos } = state;
    if (src[pos] !== '<' || !/^[a-zA-Z/]/.test(src[pos + 1] ?? '')) return false;
    tagHere.lastIndex = pos;
    if (tagHere.test(src)) return false;
    if (!silent) state.pending += '<';
    state.pos += 1;
    return true;
  });
}

/** White space beyond ASCII. */
const otherSpaces = /[^\S\t-\r ]/gu;

/**
 * Needed before a parse with blocks of HTML: a line that begins with a tag takes markdown-it exponential time where it holds
 * white space beyond ASCII, here replaced by spaces. `tameHtml` keeps only tags within a line from that.
 */
export const withPlainSpaces = (markdown: string): string =>
  markdown.replace(/<[^\n]*/g, (line) => line.replace(otherSpaces, ' '));
