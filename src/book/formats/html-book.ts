/** A page of HTML as a book: the one article of a saved page, else all of it, with chapters by its headings. */
import { basename, extname } from 'node:path';
import { DomUtils, parseDocument } from 'htmlparser2';
import { silentTags } from '../../engine/text/html-tags.ts';
import { sanitizeLine } from '../../messages.ts';
import { type Book, type BookDetails, bookOf, type ReadBookOptions } from '../book.ts';
import { decodePage } from '../decode-page.ts';
import type { DocumentFile } from '../document-file.ts';
import { displayOfPage } from '../epub/style-sheets.ts';
import { chaptersByHeadings } from '../heading-chapters.ts';
import { type Display, htmlSegments } from '../html-segments.ts';
import { countLeftOut, type LeftOutCounter } from '../left-out.ts';
import { readMarkup } from '../markup.ts';

/** The name of a file without its extension, as a title. */
export const titleOfFile = (path: string): string => sanitizeLine(basename(path, extname(path)));

/** Findings of a reader before its document became a page. */
export interface Found {
  readonly leftOut?: LeftOutCounter | undefined;
  /** One line each. */
  readonly warnings?: readonly string[] | undefined;
  /** How the style sheets of the page show its elements. */
  readonly display?: Display | undefined;
}

export async function readHtml({ path, bytes }: DocumentFile, options: ReadBookOptions): Promise<Book> {
  const page = decodePage(bytes);
  return htmlBook(page, path, options, {}, { display: await displayOfPage(page) });
}

/**
 * @param details in place of what the page says about itself
 * @throws DocumentLimitError for elements that are nested too deeply
 */
export function htmlBook(
  html: string,
  path: string,
  options: ReadBookOptions,
  details: BookDetails = {},
  found: Found = {},
): Book {
  const { leftOut = countLeftOut(options.keep) } = found;
  const about = detailsOf(html);
  const title = details.title ?? about.title ?? titleOfFile(path);
  const segments = htmlSegments(articleOf(html, leftOut), { leftOut, display: found.display, headings: 'marked' });
  const { chapters, warnings } = chaptersByHeadings(segments, title, { chapterDepth: options.chapterDepth, leftOut });
  return bookOf({ ...about, ...details, title }, chapters, leftOut, [...(found.warnings ?? []), ...warnings]);
}

/** Characters of a saved page that is read by its structure. */
const longestPage = 8 * 1024 * 1024;

/** The content of the only `main` or `article` of a page; the page itself if there is none. */
function articleOf(html: string, leftOut: LeftOutCounter): string {
  if (html.length > longestPage || !leftOut.leaves('surroundings') || !/<(?:main|article)[\s>]/i.test(html))
    return html;
  // Refuses what is nested too deeply for what follows.
  readMarkup(html, 'html');
  const document = parseDocument(html);
  for (const name of ['main', 'article']) {
    const [found, ...others] = DomUtils.getElementsByTagName(name, document, true);
    if (found === undefined || others.length > 0) continue;
    const around = firstWordsBeside(name, html);
    if (around !== undefined) leftOut.count('surroundings', around);
    return DomUtils.getInnerHTML(found);
  }
  return html;
}

/** The first words of a page outside of an element: its menus and imprint. */
function firstWordsBeside(element: string, html: string): string | undefined {
  let first: string | undefined;
  let within = 0;
  const isInside = (name: string): boolean => name === element || silentTags.has(name);
  readMarkup(html, 'xhtml', {
    open: (name) => {
      if (isInside(name)) within += 1;
    },
    text: (text) => {
      if (within === 0 && text.trim() !== '') first ??= text.trim();
    },
    close: (name) => {
      if (isInside(name)) within -= 1;
    },
  });
  return first;
}

const longestTitle = 1_000;
/** The title of a page that LibreOffice has made of a document without one. */
const noTitle = '- no title specified';

function detailsOf(html: string): Readonly<Record<'title' | 'author' | 'language', string | undefined>> {
  let [title, author, language]: (string | undefined)[] = [];
  let content: string | undefined;
  readMarkup(html, 'xhtml', {
    open(name, attributes) {
      if (name === 'title' && title === undefined) content = '';
      if (name === 'html') language ??= attributes.lang ?? attributes['xml:lang'];
      if (name === 'meta' && attributes.name?.toLowerCase() === 'author')
        author ??= sanitizeLine(attributes.content ?? '') || undefined;
    },
    text(text) {
      if (content !== undefined && content.length <= longestTitle) content += text;
    },
    close(name) {
      if (name !== 'title' || content === undefined) return;
      // A longer one is a page whose title has no end.
      const stated = content.length <= longestTitle ? sanitizeLine(content) : '';
      if (stated !== '' && stated !== noTitle) title = stated;
      content = undefined;
    },
  });
  return { title, author, language };
}
