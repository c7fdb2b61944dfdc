/**
 * Keeps markdown-it's pattern for HTML tags from texts for which it takes exponential time: values of attributes may contain
 * white space beyond ASCII, such as a no-break space, which it also takes for the space between attributes.
 */
import type MarkdownIt from 'markdown-it';

/** As in CommonMark, and as markdown-it reads tags without such space: either all of its choices are forced, or it fails. */
const space = String.raw`[\t-\r ]`;
const attribute = `${space}+[a-zA-Z_:][a-zA-Z0-9:._-]*(?:${space}*=${space}*(?:[^"'=<>\`\\x00-\\x20]+|'[^']*'|"[^"]*"))?`;
const tagHere = new RegExp(
  String.raw`<[A-Za-z][A-Za-z0-9-]*(?:${attribute})*${space}*\/?>|<\/[A-Za-z][A-Za-z0-9-]*${space}*>`,
  'y',
);

/** Changes the rules of a parser; what it makes of a text stays, but for tags with such space between attributes. */
export function tameHtml({ inline }: InstanceType<typeof MarkdownIt>): void {
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
