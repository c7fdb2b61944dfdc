/** Markdown as a book: a file with chapters by its headings, or the folder of an mdBook by its SUMMARY.md. */
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import mark from 'markdown-it-mark';
import { createMarkdownParser, type MarkdownParser, withPlainSpaces } from '../../engine/script/markdown-parser.ts';
import { addMarkdownRules, withoutAlert, withoutTask } from '../../engine/script/markdown-rules.ts';
import { attempt } from '../../errors.ts';
import { decodeAny } from '../../files/any-encoding.ts';
import { quote, sanitizeLine } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import { type Book, type BookDetails, bookOf, type Chapter, type ReadBookOptions } from '../book.ts';
import { type DocumentFile, DocumentLimitError, isFileError } from '../document-file.ts';
import { htmlSegments } from '../html-segments.ts';
import { countLeftOut, type KeptKind } from '../left-out.ts';
import { readMarkup } from '../markup.ts';
import { leaveByTitle } from '../matter.ts';
import { findSummary } from './find-summary.ts';
import { htmlBook, titleOfFile } from './html-book.ts';
import { escapeHtml } from './xml-to-html.ts';

const largestFile = 32 * 1024 * 1024;
/** Bytes of all pages of a folder. Long books have a few million. */
const mostPageBytes = 64 * 1024 * 1024;

const parser = createMarkdownParser().use(mark);
addMarkdownRules(parser, 'tokens');
parser.core.ruler.before('inline', 'signs', ({ tokens }) => {
  let quotes = 0;
  for (const [index, token] of tokens.entries()) {
    if (/^blockquote_/.test(token.type)) quotes += token.nesting;
    if (token.type !== 'inline') continue;
    if (quotes > 0) token.content = withoutAlert(token.content);
    if (tokens[index - 2]?.type === 'list_item_open') token.content = withoutTask(token.content);
  }
});
Object.assign(parser.renderer.rules, {
  formula: (tokens, index) => `<math alttext="${escapeHtml(tokens[index]?.content ?? '')}"></math>`,
  note: (tokens, index) => leftOut('notes', 'span', tokens[index]?.content ?? ''),
  note_definition: (tokens, index) =>
    leftOut('notes', 'div', (tokens[index]?.content ?? '').replace(/^\[\^[^\]\s]{1,60}\]:\s{0,9}/, '')),
  comment: (tokens, index) => leftOut('comments', 'span', withoutPercent(tokens[index]?.content ?? '')),
  comment_block: (tokens, index) => leftOut('comments', 'div', withoutPercent(tokens[index]?.content ?? '')),
  embed: (tokens, index) => embedded(tokens[index]?.content ?? '', tokens[index]?.info ?? ''),
} satisfies MarkdownParser['renderer']['rules']);

const leftOut = (kind: KeptKind, element: string, words: string): string =>
  `<${element} data-left-out="${kind}">${escapeHtml(words)}</${element}>`;

const withoutPercent = (comment: string): string => comment.replace(/^\s{0,9}%%|%%\s{0,9}$/g, '');

/** A picture with its description, or another file of the same notes. @param alias a description, or a size such as `100x80` */
function embedded(file: string, alias: string): string {
  if (!/\.(?:avif|bmp|gif|jpe?g|png|svg|webp)$/i.test(file)) return `<object>${escapeHtml(file)}</object>`;
  const description = /^\d{0,5}(?:x\d{1,5})?$/.test(alias) ? file : alias;
  return `<img alt="${escapeHtml(description)}">`;
}

function toHtml({ path, bytes }: DocumentFile): string {
  return parser.render(withPlainSpaces(withoutMetadata(decodeAny(bytes, path).text)));
}

/** Keys with values, items of lists, what is indented, and comments. */
const metadataLine = /^(?:["']?[\w-][\w.-]{0,99}["']?\s?:(?:\s|$)|-\s|\s|#|[\]}]|$)/;

/** The text behind the metadata in front of it, which is none of it: lines of YAML between hyphens, of any length. */
function withoutMetadata(text: string): string {
  if (!/^---\r?\n/.test(text)) return text;
  const end = /\n(?:---|\.{3})\r?(?:\n|$)/.exec(text);
  if (end === null) return text;
  const lines = text.slice(text.indexOf('\n') + 1, end.index).split('\n');
  return lines.every((line) => metadataLine.test(line)) ? text.slice(end.index + end[0].length) : text;
}

/** Size of a file in bytes; undefined for one that is missing, a folder, or a named pipe, which would have no end. */
async function sizeOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? found.size : undefined;
}

async function readPage(path: string): Promise<string> {
  const size = await sizeOf(path);
  if (size === undefined) throw requestError(`${path} is not a file`);
  if (size > largestFile) throw requestError(`${path}: the text is larger than 32 MiB`);
  return toHtml({ path, bytes: await readFile(path) });
}

const longestMetadata = 20_000;

/** Title, author and language, as the metadata in front of a text state them. */
function detailsOf({ path, bytes }: DocumentFile): BookDetails {
  const { text } = decodeAny(bytes, path);
  const front = text.slice(0, text.length - withoutMetadata(text).length).slice(0, longestMetadata);
  const stated = (key: string): string | undefined => {
    const [, value = ''] = new RegExp(`^${key}:[ \\t]{1,9}(\\S.{0,499})$`, 'im').exec(front) ?? [];
    return /^[[{|>&*]/.test(value) ? undefined : sanitizeLine(value.replace(/^(["'])(.*)\1\s*$/, '$2')) || undefined;
  };
  const [author, language] = [stated('author'), stated('lang') ?? stated('language')];
  return { title: stated('title') ?? titleOfFile(path), author, language };
}

/** @throws SvcError INVALID_REQUEST */
export const readMarkdownBook = async (file: DocumentFile, options: ReadBookOptions): Promise<Book> =>
  htmlBook(toHtml(file), file.path, options, detailsOf(file));

interface Link {
  readonly title: string;
  readonly href: string;
  readonly depth: number;
}

/** @throws SvcError INVALID_REQUEST for a folder without SUMMARY.md, or one that names no file */
export async function readMarkdownFolder(folder: string, options: ReadBookOptions): Promise<Book> {
  const summary = findSummary(folder);
  if (summary === undefined)
    throw requestError(`the folder ${quote(folder)} has no SUMMARY.md, the table of contents of an mdBook`);
  const leftOut = countLeftOut(options.keep);
  const warnings: string[] = [];
  const chapters: { title: string; segments: Chapter['segments'][number][] }[] = [];
  const { title, links } = linksOf(await readPage(summary));
  const root = dirname(summary);
  /** A page has one place in the book, the first. */
  const seen = new Set<string>();
  let bytes = 0;
  for (const { title: name, href, depth } of links) {
    // Some are encoded wrongly, such as `50%.md`.
    const place = attempt(() => decodeURI(href.split('#')[0] ?? ''));
    if (place === undefined) {
      warnings.push(`the page ${quote(href)} is left out: its link is not valid`);
      continue;
    }
    const path = resolve(root, place);
    if (relative(root, path).startsWith('..')) {
      warnings.push(`the page ${quote(href)} is left out: it is outside the folder of the book`);
      continue;
    }
    const warning = leaveByTitle(name, leftOut);
    if (warning !== undefined) {
      warnings.push(warning);
      continue;
    }
    if (seen.has(path)) continue;
    seen.add(path);
    const size = await sizeOf(path);
    bytes += size ?? 0;
    if (bytes > mostPageBytes) throw new DocumentLimitError('the pages of the book are larger than 64 MiB in total');
    const html = size === undefined ? undefined : await readPage(path).catch(ofMissing);
    if (html === undefined) {
      warnings.push(`the page ${quote(href)} is left out: it is missing`);
      continue;
    }
    const segments = htmlSegments(html, { leftOut });
    const last = chapters.at(-1);
    const isPlace = last !== undefined && options.chapterDepth !== undefined && depth > options.chapterDepth;
    if (isPlace) for (const segment of segments) last.segments.push(segment);
    else chapters.push({ title: name, segments: [...segments] });
  }
  if (chapters.length === 0) throw requestError(`${quote(summary)} names no page of the book`);
  const bookTitle = (await titleOfBook(folder)) ?? title ?? titleOfFile(resolve(folder));
  return bookOf({ title: bookTitle }, chapters, leftOut, warnings);
}

/** @throws errors other than of the system */
function ofMissing(error: unknown): undefined {
  if (!isFileError(error)) throw error;
}

/** The title of `book.toml`. */
async function titleOfBook(folder: string): Promise<string | undefined> {
  const path = join(folder, 'book.toml');
  const settings = (await sizeOf(path)) === undefined ? '' : await readFile(path, 'utf8').catch(() => '');
  const [, title] = /^title\s{0,9}=\s{0,9}"([^"\n]{1,300})"/m.exec(settings) ?? [];
  return title === undefined ? undefined : sanitizeLine(title);
}

function linksOf(html: string): { readonly title: string | undefined; readonly links: readonly Link[] } {
  const links: Link[] = [];
  let title: string | undefined;
  let depth = 0;
  let href: string | undefined;
  let content = '';
  readMarkup(html, 'html', {
    open(name, attributes) {
      if (name === 'ul' || name === 'ol') depth += 1;
      if (name === 'a') href = attributes.href;
      if (name === 'a' || name === 'h1') content = '';
    },
    text(text) {
      content += text;
    },
    close(name) {
      if (name === 'ul' || name === 'ol') depth -= 1;
      const shown = sanitizeLine(content);
      if (name === 'h1' && title === undefined && !/^summary$/i.test(shown)) title = shown || undefined;
      if (name !== 'a' || href === undefined) return;
      const isPage = /\.(?:md|markdown)(?:#|$)/i.test(href) && !/^\w{2,}:/.test(href);
      if (isPage && shown !== '') links.push({ title: shown, href, depth: Math.max(1, depth) });
      href = undefined;
    },
  });
  return { title, links };
}
