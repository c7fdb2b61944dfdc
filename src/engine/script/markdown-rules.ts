/** Extensions of CommonMark that writers use, as rules of markdown-it: notes, links of wikis, formulas, containers, attributes. */
import type MarkdownIt from 'markdown-it';

type Parser = InstanceType<typeof MarkdownIt>;
type InlineRule = Parameters<Parser['inline']['ruler']['before']>[2];
type BlockRule = Parameters<Parser['block']['ruler']['before']>[2];

/** `[^1]`, and `^[a note in the line]`. */
const note = /\[\^[^\]\s]{1,60}\]|\^\[[^\]\n]{0,500}\]/y;
/** `[[Page]]`, `[[#Part]]`, `[[Page#Part|words]]`, and `![[file]]`, which is left out, or a token. */
const wikiLink = /(!?)\[\[([^[\]|#\n]{0,200})(?:#([^[\]|\n]{0,200}))?(?:\|([^[\]\n]{0,200}))?\]\]/y;
/** `%% hidden %%` of Obsidian, within a line. */
const comment = /(?<![\w%])%%(?!%)[^\n]{1,2000}?%%/y;
/** `^name` at the end of a paragraph, which Obsidian hides. */
const blockName = /(?<=\s)\^(?=[\w-]{0,59}[A-Za-z])[\w-]{3,60}\s{0,9}$/y;
/** `{#id}`, `{.class}` and `{: .class}`. */
const attributes = /[ \t]*\{[#.:][^{}\n]{1,100}\}/y;

/** `H~2~O` and `x^2^`, of which powers are said. */
const shifted = /~([^~\s]{1,10})~(?!~)|\^([^^\s[]{1,10})\^/y;

/** @param write what a match becomes */
const inlineRule =
  (pattern: RegExp, write: (state: Parameters<InlineRule>[0], found: RegExpExecArray) => void): InlineRule =>
  (state, silent) => {
    pattern.lastIndex = state.pos;
    const found = pattern.exec(state.src);
    if (found === null) return false;
    if (!silent) write(state, found);
    state.pos += found[0].length;
    return true;
  };

/** Leaves out what matches, or makes a token of it. */
const leavingOut = (pattern: RegExp, token?: string): InlineRule =>
  inlineRule(pattern, (state, [all]) => {
    if (token !== undefined) state.push(token, '', 0).content = all;
  });

const wikiLinks = (embed?: string): InlineRule =>
  inlineRule(wikiLink, (state, [, embeds, page = '', part = '', alias = '']) => {
    // A part that begins with `^` is the name of a paragraph.
    const named = page.trim() || (part.startsWith('^') ? '' : part.replaceAll('#', ' ').trim());
    if (embeds === '') state.push('text', '', 0).content = alias.trim() || named;
    else if (embed !== undefined) Object.assign(state.push(embed, '', 0), { content: named, info: alias.trim() });
  });

const shifts = inlineRule(shifted, (state, [, low, high = '']) => {
  state.push('text', '', 0).content = low ?? (/^[-\d]+$/.test(high) ? `^${high}` : high);
});

/** Marks around formulas, and the most characters between them. */
const delimiters = [
  ['$$', '$$', 1000],
  ['$', '$', 200],
  ['\\(', '\\)', 200],
  ['\\[', '\\]', 1000],
] as const;
/** Recognizes a formula between `$…$`, lest prices such as `$5 and $10` are taken for one. */
const isFormula = (latex: string): boolean =>
  /^\S(?:[^\n]*\S)?$/.test(latex) &&
  (/[\\^_=+*/<>{}]|[A-Za-z]\([A-Za-z]/.test(latex) || /^[A-Za-zα-ωΑ-Ω]$/u.test(latex));

const formulas: InlineRule = (state, silent) => {
  const { src, pos } = state;
  for (const [open, close, most] of delimiters) {
    if (!src.startsWith(open, pos)) continue;
    const from = pos + open.length;
    const length = src.slice(from, from + most + close.length).indexOf(close);
    if (length < 1) continue;
    const latex = src.slice(from, from + length);
    const next = src[from + length + 1] ?? '';
    if (open === '$' && (!isFormula(latex) || /\w/.test(next) || /[\w$\\]/.test(src[pos - 1] ?? ''))) continue;
    if (!silent) state.push('formula', '', 0).content = latex;
    state.pos = from + length + close.length;
    return true;
  }
  return false;
};

const lineOf = (state: Parameters<BlockRule>[0], line: number): string =>
  state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);

const noteDefinition = /^\[\^[^\]\s]{1,60}\]:/;

/** `[^1]: A note.` with the lines that belong to it is left out, or a token. */
const noteDefinitions =
  (token?: string): BlockRule =>
  (state, start, end, silent) => {
    if (!noteDefinition.test(lineOf(state, start).slice(0, 80))) return false;
    if (silent) return true;
    let line = start + 1;
    for (let blank = false; line < end; line += 1) {
      if (state.isEmpty(line)) {
        blank = true;
        continue;
      }
      const isIndented = (state.sCount[line] ?? 0) >= state.blkIndent + 4;
      if (blank ? !isIndented : noteDefinition.test(lineOf(state, line).slice(0, 80))) break;
      blank = false;
    }
    if (token !== undefined) state.push(token, '', 0).content = state.getLines(start, line, 0, false);
    state.line = line;
    return true;
  };

/** `%%` before and behind lines that are hidden, of which some are blank. */
const hiddenBlocks =
  (token?: string): BlockRule =>
  (state, start, end, silent) => {
    const first = lineOf(state, start);
    if (!first.startsWith('%%') || first.indexOf('%%', 2) !== -1) return false;
    let last = start + 1;
    while (last < end && !lineOf(state, last).trimEnd().endsWith('%%')) last += 1;
    if (last === end) return false;
    if (silent) return true;
    const words = state.getLines(start, last + 1, 0, false);
    if (token !== undefined) state.push(token, '', 0).content = words;
    state.line = last + 1;
    return true;
  };

/** `:::` and `::: note` stand around a block. */
const containers: BlockRule = (state, start, _end, silent) => {
  if (!/^:{3,}[ \t]*(?:$|[\w{[])/.test(lineOf(state, start).slice(0, 80))) return false;
  if (!silent) state.line = start + 1;
  return true;
};

/** `- [ ] to do`, and `[!NOTE]` at the beginning of a quotation, with a title of its own. */
const task = /^\[[ xX]\]\s+/;
const alert = /^\[![A-Za-z-]{1,30}\][+-]?[ \t]*(?:([^\n]{1,200})\n|\n)?/;

export const withoutTask = (text: string): string => text.replace(task, '');
export const withoutAlert = (text: string): string =>
  text.replace(alert, (_, title: string | undefined) => (title ? `${title}\\\n` : ''));

const interrupting = { alt: ['paragraph', 'reference', 'blockquote', 'list'] };

/** @param left whether notes, embedded files and comments are tokens: `note`, `note_definition`, `embed`, `comment`, `comment_block` */
export function addMarkdownRules({ inline, block }: Parser, left: 'dropped' | 'tokens' = 'dropped'): void {
  const token = (name: string): string | undefined => (left === 'tokens' ? name : undefined);
  inline.ruler.before('escape', 'formula', formulas);
  inline.ruler.before('link', 'note', leavingOut(note, token('note')));
  inline.ruler.before('link', 'attributes', leavingOut(attributes));
  inline.ruler.before('link', 'wiki_link', wikiLinks(token('embed')));
  inline.ruler.before('link', 'comment', leavingOut(comment, token('comment')));
  inline.ruler.before('strikethrough', 'block_name', leavingOut(blockName));
  inline.ruler.before('strikethrough', 'shifted', shifts);
  block.ruler.before('reference', 'note_definition', noteDefinitions(token('note_definition')), interrupting);
  block.ruler.before('fence', 'comment_block', hiddenBlocks(token('comment_block')), interrupting);
  block.ruler.before('fence', 'container', containers, interrupting);
}
