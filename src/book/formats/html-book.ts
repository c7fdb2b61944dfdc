/** A page of HTML as a book: the one article of a saved page, else all of it, with chapters by its headings. */
import { basename, extname } from 'node:path';
import { DomUtils, parseDocument } from 'htmlparser2';
import { sanitizeLine } from '../../messages.ts';
import { type Book, countLeftOut, type ReadBookOptions } from '../book.ts';
import { chaptersByHeadings } from '../heading-chapters.ts';
import { htmlSegments } from '../html-segments.ts';
import { readMarkup } from '../markup.ts';

export type BookDetails = Partial<Omit<Book, 'chapters' | 'leftOut' | 'warnings'>>;

/** The name of a file without its extension, as a title. */
export const titleOfFile = (path: string): string => sanitizeLine(basename(path, extname(path)));

/**
 * @param details in place of what the page says about itself
 * @throws DocumentLimitError for elements that are nested too deeply
 */
export function htmlBook(html: string, path: string, options: ReadBookOptions, details: BookDetails = {}): Book {
  const leftOut = countLeftOut(options.keep);
  const about = detailsOf(html);
  const title = details.title ?? about.title ?? titleOfFile(path);
  let silentFormulas = 0;
  const segments = htmlSegments(articleOf(html), {
    leftOut,
    headings: 'marked',
    onSilentFormula: () => {
      silentFormulas += 1;
    },
  });
  const { chapters, warnings } = chaptersByHeadings(segments, title, { chapterDepth: options.chapterDepth, leftOut });
  const formulas =
    silentFormulas === 0 ? [] : [`formulas that have no words are left out (${silentFormulas} in the book)`];
  return {
    author: about.author,
    language: about.language,
    cover: undefined,
    ...details,
    title,
    chapters,
    leftOut: leftOut.counts,
    warnings: [...warnings, ...formulas],
  };
}

/** Characters of a saved page that is read by its structure. */
const longestPage = 8 * 1024 * 1024;

/** The content of the only `main` or `article` of a page; the page itself if there is none. */
function articleOf(html: string): string {
  if (html.length > longestPage || !/<(?:main|article)[\s>]/i.test(html)) return html;
  // Refuses what is nested too deeply for what follows.
  readMarkup(html, {}, { lowerCaseTags: true });
  const document = parseDocument(html);
  for (const name of ['main', 'article']) {
    const [found, ...others] = DomUtils.getElementsByTagName(name, document, true);
    if (found !== undefined && others.length === 0) return DomUtils.getInnerHTML(found);
  }
  return html;
}

interface PageDetails {
  readonly title: string | undefined;
  readonly author: string | undefined;
  readonly language: string | undefined;
}

function detailsOf(html: string): PageDetails {
  let [title, author, language]: (string | undefined)[] = [];
  let content: string | undefined;
  readMarkup(
    html,
    {
      onopentag(name, attributes) {
        if (name === 'title' && title === undefined) content = '';
        if (name === 'html') language ??= attributes.lang ?? attributes['xml:lang'];
        if (name === 'meta' && attributes.name?.toLowerCase() === 'author')
          author ??= sanitizeLine(attributes.content ?? '') || undefined;
      },
      ontext(text) {
        if (content !== undefined) content += text;
      },
      onclosetag(name) {
        if (name !== 'title' || content === undefined) return;
        title = sanitizeLine(content) || undefined;
        content = undefined;
      },
    },
    { lowerCaseTags: true },
  );
  return { title, author, language };
}
