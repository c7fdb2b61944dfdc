/**
 * Keeps markdown-it's pattern for HTML tags from texts for which it takes exponential time: values of attributes may contain
 * white space beyond ASCII, such as a no-break space, which it also takes for the space between attributes.
 */
import MarkdownIt from 'markdown-it';

type Parser = InstanceType<typeof MarkdownIt>;
type BlockRule = Parameters<Parser['block']['ruler']['at']>[1];

/** As in CommonMark, and as markdown-it reads tags without such space: either all of its choices are forced, or it fails. */
const space = String.raw`[\t-\r ]`;
const attribute = `${space}+[a-zA-Z_:][a-zA-Z0-9:._-]*(?:${space}*=${space}*(?:[^"'=<>\`\\x00-\\x20]+|'[^']*'|"[^"]*"))?`;
const tag = String.raw`<[A-Za-z][A-Za-z0-9-]*(?:${attribute})*${space}*\/?>|<\/[A-Za-z][A-Za-z0-9-]*${space}*>`;
const tagHere = new RegExp(tag, 'y');
const tagAlone = new RegExp(String.raw`^(?:${tag})\s*$`);
const tagName = /^<\/?([A-Za-z][A-Za-z0-9-]{0,20})(?=\s|\/?>|$)/;

/** The rule of the library, which has no other way to be called by one of the same name. */
function libraryRule(): BlockRule {
  const { ruler } = new MarkdownIt({ html: true }).block;
  ruler.enableOnly('html_block');
  return ruler.getRules('')[0] as BlockRule;
}

/** Whether a tag of this name begins a block however it goes on. */
function createBlockNames(): (name: string) => boolean {
  const parser = new MarkdownIt({ html: true });
  const known = new Map<string, boolean>();
  return (name) => {
    const key = name.toLowerCase();
    const isBlock = known.get(key) ?? parser.parse(`<${key} x`, {})[0]?.type === 'html_block';
    if (known.size < 1000) known.set(key, isBlock);
    return isBlock;
  };
}

/** Changes the rules of a parser; what it makes of a text stays, but for tags with such space between attributes. */
export function tameHtml({ block, inline }: Parser): void {
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

  const htmlBlock = libraryRule();
  const isBlockName = createBlockNames();
  const isTame = (line: string): boolean =>
    !/^<[a-zA-Z/]/.test(line) || tagAlone.test(line) || isBlockName(tagName.exec(line)?.[1] ?? '');
  block.ruler.at(
    'html_block',
    (state, start, end, silent) => {
      const line = state.src.slice((state.bMarks[start] ?? 0) + (state.tShift[start] ?? 0), state.eMarks[start]);
      return isTame(line) && htmlBlock(state, start, end, silent);
    },
    { alt: ['paragraph', 'reference', 'blockquote'] },
  );
}
