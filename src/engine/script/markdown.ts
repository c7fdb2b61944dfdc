/**
 * Markdown (CommonMark with tables, strikethrough, notes and what else READMEs and language models write) as what a reader
 * would say. Headings, items of lists, rows of tables and rules get their pauses; mark-up, addresses of links, tags of HTML,
 * notes and front matter are not spoken.
 */
import mark from 'markdown-it-mark';
import { quote, shorten } from '../../messages.ts';
import { meaningOf } from '../../word-lists.ts';
import { htmlTagOf, isTypeParameter, raised } from '../text/html-tags.ts';
import { spokenAlternative } from './alternatives.ts';
import { sayFormula } from './formula.ts';
import { inlinePieces } from './inline-pieces.ts';
import { createMarkdownParser } from './markdown-parser.ts';
import { addMarkdownRules, withoutAlert, withoutTask } from './markdown-rules.ts';
import { type Segment, structurePauses } from './passage.ts';

export interface MarkdownOptions {
  /** Whether blocks of code are left out or read. Code within a sentence is always read. */
  readonly code: 'skip' | 'read';
  /** Meaning of four spaces in front of a line: in a text that only looks like Markdown, nothing (default: code). */
  readonly indented?: 'code' | 'text' | undefined;
  /** The list in which a piece of a live text begins, and then that in which it ends. */
  readonly list?: CurrentList | undefined;
}

export interface CurrentList {
  /** The number of its last item; undefined outside a list with numbers. */
  number: number | undefined;
}

const parser = createMarkdownParser().use(mark);
// Tags between blocks are read as those within a line.
parser.block.ruler.disable('html_block');
addMarkdownRules(parser);
/** Inline text is parsed block by block. */
const inlineRules = parser.core.ruler.getRules('').slice(2);
parser.core.ruler.enableOnly(['normalize', 'block']);

type Token = ReturnType<typeof parser.parse>[number];

const frontMatter =
  /^\uFEFF?(?:---[ \t]*\r?\n[\s\S]{0,20000}?\r?\n(?:---|\.\.\.)|\+\+\+[ \t]*\r?\n[\s\S]{0,20000}?\r?\n\+\+\+)[ \t]*(?:\r?\n|$)/;
const address = /\b(?:https?:\/\/|www\.)[^\s<>"]+/giu;
const han = /\p{Script=Han}/u;

const pause = (kind: keyof typeof structurePauses): Segment => ({
  kind: 'pause',
  seconds: structurePauses[kind],
  from: 'structure',
});

const text = (spoken: string): Segment => ({ kind: 'text', text: spoken });

/** Ends of blocks, by the names of markdown-it's tokens. */
const blockPauses = meaningOf({
  heading: 'heading_close',
  paragraph: 'paragraph_close table_close blockquote_close',
  item: 'list_item_close tr_close',
});

/**
 * In time linear in the text: markdown-it has limits for what nests. Yields undefined where other work may go first.
 *
 * @param readText what is said of text that is no code
 * @param warn receives a warning about formulas that can't be said
 */
export function* markdownSegments(
  markdown: string,
  { code, indented = 'code', list }: MarkdownOptions,
  {
    readText = (spoken: string): Iterable<Segment> => [text(spoken)],
    warn = (_: string): void => {},
  }: { readonly readText?: InlineReading['readText']; readonly warn?: (warning: string) => void } = {},
): Generator<Segment | undefined, void, undefined> {
  const environment: Record<string, unknown> = {};
  const tokens = parser.parse(markdown.replace(frontMatter, ''), environment);
  /** Numbers of the ordered lists that are open; undefined for a bullet list. */
  const lists: (number | undefined)[] = [];
  let cell = 0;
  let quotes = 0;
  const html: OpenHtml = { silent: undefined, cells: 0, code };
  const unsaid: string[] = [];
  for (const token of tokens) {
    const isFirst = token === tokens[0];
    if (list !== undefined && token.level === 0 && token.nesting >= 0 && !isFirst) list.number = undefined;
    switch (token.type) {
      case 'bullet_list_open':
      case 'ordered_list_open':
        // A list within an item begins on its own line.
        if (lists.length > 0) yield pause('item');
        lists.push(
          token.type === 'bullet_list_open' ? undefined : firstNumber(token, isFirst ? list?.number : undefined),
        );
        break;
      case 'bullet_list_close':
      case 'ordered_list_close':
        if (list !== undefined && lists.length === 1 && lists[0] !== undefined) list.number = lists[0] - 1;
        lists.pop();
        if (lists.length === 0) yield pause('paragraph');
        break;
      case 'list_item_open': {
        const own = lists.at(-1);
        if (own === undefined) break;
        yield text(`${own}. `);
        lists[lists.length - 1] = own + 1;
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
        if (token.type === 'code_block' && indented === 'text') yield text(token.content.replace(/\s+/gu, ' '));
        else if (code === 'read') yield text(token.content);
        yield pause('paragraph');
        break;
      case 'blockquote_open':
      case 'blockquote_close':
        quotes += token.nesting;
        break;
      case 'inline':
        if (quotes > 0) token.content = withoutAlert(token.content);
        yield* inlineText(token, { environment, html, readText, unsaid });
        break;
    }
    // A tight list has hidden paragraphs; its items end by themselves.
    const kind = token.hidden ? undefined : blockPauses.get(token.type);
    if (kind !== undefined) yield pause(kind);
  }
  const [first] = unsaid;
  if (first !== undefined)
    warn(`formulas that have no words are left out (${unsaid.length}, first ${quote(shorten(first))})`);
}

interface InlineReading {
  readonly environment: Record<string, unknown>;
  readonly html: OpenHtml;
  readonly readText: (spoken: string) => Iterable<Segment>;
  readonly unsaid: string[];
}

function* inlineText(
  token: Token,
  { environment, html, readText, unsaid }: InlineReading,
): Generator<Segment | undefined> {
  const isChinese = han.test(token.content);
  let first = true;
  for (const piece of inlinePieces(token.content)) {
    Object.assign(token, { content: piece, children: [] });
    const state = new parser.core.State('', parser, environment);
    state.tokens = [token];
    for (const rule of inlineRules) rule(state);
    yield;
    const children = token.children ?? [];
    for (const [index, { type, content }] of children.entries()) {
      const before = children[index - 1]?.content ?? '';
      if (type === 'html_inline') {
        const isClosed = (end: string): boolean =>
          children.slice(index, index + longestElement).some((child) => child.content === end);
        if (html.silent === undefined && isTypeParameter(content, before, isClosed)) yield text(content);
        else yield* tagSegments(content, html);
        continue;
      }
      if (html.silent !== undefined) continue;
      const power = before.toLowerCase() === '<sup>' ? raised(content) : undefined;
      if (power !== undefined) yield text(power);
      else if (type === 'text') yield* readText((first ? withoutTask(content) : content).replace(address, hostOf));
      else if (type === 'code_inline') yield text(content);
      else if (type === 'softbreak') yield text(' ');
      else if (type === 'hardbreak') yield pause('line');
      // The description of an image is spoken where it has one.
      else if (type === 'image') yield text(spokenAlternative(content) ?? '');
      else if (type === 'formula') {
        const said = sayFormula(content);
        // In Chinese, names alone are said.
        if (said === undefined || (isChinese && !/^[A-Za-z\d.]+$/.test(said))) unsaid.push(content);
        else yield text(said);
      }
      first = false;
    }
    first = false;
  }
}

/** Elements of HTML that are open from one block to the next. */
interface OpenHtml {
  /** Name of one of which nothing is spoken. */
  silent: string | undefined;
  cells: number;
  readonly code: 'skip' | 'read';
}

/** Pieces between the beginning and the end of an element. */
const longestElement = 30;

function* tagSegments(written: string, html: OpenHtml): Generator<Segment> {
  const tag = htmlTagOf(written);
  if (tag === undefined) return;
  const { name, isEnd, kind } = tag;
  if (html.silent !== undefined) {
    if (isEnd && name === html.silent) html.silent = undefined;
    return;
  }
  if (!isEnd && (kind === 'silent' || (name === 'pre' && html.code === 'skip')) && !written.endsWith('/>'))
    html.silent = name;
  if (name === 'tr') html.cells = 0;
  // A cell whose beginning is not there.
  if (kind === 'cell' && isEnd) html.cells ||= 1;
  if (tag.pause !== undefined) yield pause(tag.pause);
  else if (!isEnd && (name === 'td' || name === 'th') && html.cells++ > 0) yield text(', ');
  else if (kind === 'unknown') yield text(' ');
}

/** The name of the page's server, which is all that a listener can follow. */
function hostOf(found: string): string {
  const [marks = ''] = /[.,;:!?'")\]]{0,9}$/u.exec(found) ?? [];
  const place = found.slice(0, found.length - marks.length).replace(/^(?:https?:\/\/)?(?:www\.)?/i, '');
  return place.slice(0, place.search(/[/?#]|$/)) + marks;
}

/** A list that continues from the piece of the text before counts up, whatever numbers are written, as in a whole text. */
const firstNumber = (token: Token, last: number | undefined): number =>
  last === undefined ? Number(token.attrGet('start') ?? 1) : last + 1;
