/**
 * Markdown (CommonMark with tables and strikethrough) as what a reader would say. Headings, items of lists, rows of tables
 * and rules get their pauses; mark-up, addresses of links, raw HTML and front matter are not spoken.
 */
import MarkdownIt from 'markdown-it';
import { type Segment, structurePauses } from './passage.ts';
import { tameHtml } from './tame-html.ts';

export interface MarkdownOptions {
  /** Whether blocks of code are left out or read. Code within a sentence is always read. */
  readonly code: 'skip' | 'read';
}

const parser = new MarkdownIt({ html: true, linkify: false, typographer: false });
/** Levels of quotes and lists, of which a list takes two. Each line is read once per level, 100 by default. */
parser.options.maxNesting = 20;
tameHtml(parser);
/** What is between the blocks of a document is parsed block by block. */
const inlineRules = parser.core.ruler.getRules('').slice(2);
parser.core.ruler.enableOnly(['normalize', 'block']);

type Token = ReturnType<typeof parser.parse>[number];

const frontMatter = /^\uFEFF?---[ \t]*\r?\n[\s\S]{0,20000}?\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
const task = /^\[[ xX]\]\s+/;

const pause = (kind: keyof typeof structurePauses): Segment => ({
  kind: 'pause',
  seconds: structurePauses[kind],
  from: 'structure',
});

const text = (spoken: string): Segment => ({ kind: 'text', text: spoken });

/** Ends of blocks, by the names of markdown-it's tokens. */
const blockPauses: Readonly<Record<string, keyof typeof structurePauses>> = {
  heading_close: 'heading',
  paragraph_close: 'paragraph',
  list_item_close: 'item',
  tr_close: 'item',
  table_close: 'paragraph',
  blockquote_close: 'paragraph',
};

/** In time linear in the text: markdown-it has limits for what nests. Yields undefined where other work may go first. */
export function* markdownSegments(
  markdown: string,
  { code }: MarkdownOptions,
): Generator<Segment | undefined, void, undefined> {
  const environment: Record<string, unknown> = {};
  const tokens = parser.parse(markdown.replace(frontMatter, ''), environment);
  /** Numbers of the ordered lists that are open; undefined for a bullet list. */
  const lists: (number | undefined)[] = [];
  let cell = 0;
  for (const token of tokens) {
    switch (token.type) {
      case 'bullet_list_open':
      case 'ordered_list_open':
        // A list within an item begins on its own line.
        if (lists.length > 0) yield pause('item');
        lists.push(token.type === 'bullet_list_open' ? undefined : Number(token.attrGet('start') ?? 1));
        break;
      case 'bullet_list_close':
      case 'ordered_list_close':
        lists.pop();
        if (lists.length === 0) yield pause('paragraph');
        break;
      case 'list_item_open': {
        const number = lists.at(-1);
        if (number === undefined) break;
        yield text(`${number}. `);
        lists[lists.length - 1] = number + 1;
        break;
      }
      case 'heading_open':
        yield pause('paragraph');
        break;
      case 'tr_open':
        cell = 0;
        break;
      case 'th_open':
      case 'td_open':
        if (cell > 0) yield text(', ');
        cell += 1;
        break;
      case 'hr':
        yield pause('rule');
        break;
      case 'fence':
      case 'code_block':
        if (code === 'read') yield text(token.content);
        yield pause('paragraph');
        break;
      case 'inline':
        parseInline(token, environment);
        yield;
        yield* inlineSegments(token.children ?? []);
        break;
    }
    // A tight list has hidden paragraphs; its items end by themselves.
    const kind = token.hidden ? undefined : blockPauses[token.type];
    if (kind !== undefined) yield pause(kind);
  }
}

function parseInline(token: Token, environment: Record<string, unknown>): void {
  const state = new parser.core.State('', parser, environment);
  state.tokens = [token];
  for (const rule of inlineRules) rule(state);
}

function* inlineSegments(children: readonly Token[]): Generator<Segment> {
  let first = true;
  for (const { type, content } of children) {
    if (type === 'text') yield text(first ? content.replace(task, '') : content);
    else if (type === 'code_inline') yield text(content);
    else if (type === 'softbreak') yield text(' ');
    else if (type === 'hardbreak' || (type === 'html_inline' && /^<br\b/i.test(content))) yield pause('line');
    // The description of an image is spoken where it has one.
    else if (type === 'image') yield text(content);
    first = false;
  }
}
