/** FictionBook 2: chapters by the titles of its sections. */
import { quote, sanitizeLine } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import { meaningOf } from '../../word-lists.ts';
import type { Book, BookDetails, Cover, ReadBookOptions } from '../book.ts';
import { decodePage } from '../decode-page.ts';
import type { DocumentFile } from '../document-file.ts';
import { openArchive } from '../epub/archive.ts';
import { visitXml } from '../markup.ts';
import { htmlBook } from './html-book.ts';
import { escapeHtml, xmlToHtml } from './xml-to-html.ts';

const mostLevels = 6;
const mostAuthors = 100;

const elements = meaningOf({
  '<p>': 'p v subtitle text-author date',
  '<blockquote>': 'epigraph cite',
  '<div>': 'stanza',
  '<br>': 'empty-line',
  '<section>': 'section',
  ...{ '<tr>': 'tr', '<td>': 'td', '<th>': 'th', '<sup>': 'sup' },
});

/** @throws SvcError INVALID_REQUEST */
export const readFb2 = async ({ path, bytes }: DocumentFile, options: ReadBookOptions): Promise<Book> =>
  fb2From(bytes, path, options);

/** A book within a ZIP archive, as libraries offer them. @throws SvcError INVALID_REQUEST */
export async function readZippedFb2(file: DocumentFile, options: ReadBookOptions): Promise<Book> {
  const { path } = file;
  const archive = await openArchive(file, 'FictionBook');
  const [name, ...others] = archive.names.filter((entry) => /\.fb2$/i.test(entry));
  if (name === undefined) throw requestError(`${path}: the archive holds no FictionBook (.fb2)`);
  const warnings =
    others.length === 0 ? [] : [`the archive holds ${others.length + 1} books; only ${quote(name)} is read`];
  return fb2From(await archive.read(name), path.replace(/\.zip$/i, ''), options, warnings);
}

/** Calibre writes the titles of sections as paragraphs in bold. */
const boldTitle = /(<section>\s{0,99})<p>\s{0,9}<strong>([^<]{1,200})<\/strong>\s{0,9}<\/p>/g;
const withTitles = (xml: string): string =>
  xml.includes('<title>') ? xml : xml.replace(boldTitle, '$1<title><p>$2</p></title>');

function fb2From(bytes: Buffer, path: string, options: ReadBookOptions, warnings: readonly string[] = []): Book {
  const xml = decodePage(bytes);
  if (!/<FictionBook[\s>]/i.test(xml.slice(0, 10_000))) throw requestError(`${path}: this is not a FictionBook`);
  let bodies = 0;
  const html = xmlToHtml(withTitles(xml), (name, attributes, parents) => {
    if (['description', 'binary', 'stylesheet'].includes(name)) return undefined;
    // Caption of a picture, else its description.
    if (name === 'image' && attributes.title) return `<figcaption>${escapeHtml(attributes.title)}`;
    if (name === 'image') return { content: attributes.alt ? `<img alt="${escapeHtml(attributes.alt)}">` : '' };
    // Bodies with a name are notes and comments, but for the first.
    if (name === 'body') return ++bodies === 1 || !attributes.name ? '<div>' : '<div class="footnotes">';
    // Poems, stanzas and quotations have titles too.
    if (name === 'title') return /^(?:section|body)$/.test(parents.at(-1) ?? '') ? '<h1>' : '<div>';
    if (name === 'a') return attributes.type === 'note' ? '<a class="noteref">' : '';
    return elements.get(name) ?? '';
  });
  return htmlBook(withLevels(html), path, options, detailsOf(xml), { warnings });
}

/** Titles as headings of the level of their sections, which `xmlToHtml` doesn't know. */
function withLevels(html: string): string {
  let depth = 0;
  const open: string[] = [];
  return html.replace(/<(\/?)(section|h1)[^>]{0,40}>/g, (_tag, slash: string, name: string) => {
    if (name === 'section') {
      depth += slash === '' ? 1 : -1;
      return `<${slash}section>`;
    }
    if (slash !== '') return `</${open.pop() ?? 'h1'}>`;
    open.push(`h${Math.min(mostLevels, depth + 1)}`);
    return `<${open.at(-1)}>`;
  });
}

/** Characters of an annotation; a longer one is cut. */
const longestAnnotation = 10_000;

function detailsOf(xml: string): BookDetails {
  /** Open elements inside the description, of which the last three tell what a text is. */
  const path: string[] = [];
  let annotations = 0;
  const found = new Map<string, string>();
  const authors: string[] = [];
  const annotation: string[] = [];
  let annotated = 0;
  let coverName: string | undefined;
  let cover: Cover | undefined;
  let binary: { readonly type: string } | undefined;
  let person: string[] = [];
  const where = (): string => path.slice(-3).join('/');
  visitXml(xml, {
    open(name, attributes) {
      if (name === 'binary' && attributes.id !== undefined && `#${attributes.id}` === coverName)
        binary = { type: (attributes['content-type'] ?? '').replace('image/jpg', 'image/jpeg') };
      if (path.length === 0 && name !== 'description') return;
      path.push(name);
      if (name === 'annotation') annotations += 1;
      if (where().endsWith('title-info/author')) person = [];
      if (where().endsWith('coverpage/image'))
        coverName ??= Object.values(attributes).find((value) => value.startsWith('#'));
    },
    close(name, content) {
      if (name === 'binary' && binary !== undefined) {
        if (/^image\/(?:jpeg|png)$/.test(binary.type))
          cover = { bytes: Buffer.from(content, 'base64'), mimeType: binary.type };
        binary = undefined;
      }
      if (path.length === 0) return;
      const place = where();
      path.pop();
      if (name === 'annotation') annotations -= 1;
      const value = sanitizeLine(content);
      if (/title-info\/author\/(?:first|middle|last)-name$/.test(place) && value !== '') person.push(value);
      else if (place.endsWith('title-info/author') && person.length > 0) authors.push(person.join(' '));
      else if (annotations > 0 && value !== '') {
        if (annotated < longestAnnotation) annotation.push(value);
        annotated += value.length + 1;
      } else if (/(?:title|publish)-info\/[^/]{1,40}$/.test(place) && value !== '' && !found.has(name))
        found.set(name, value);
    },
  });
  return {
    title: found.get('book-title'),
    author: authors.slice(0, mostAuthors).join(', ') || undefined,
    language: found.get('lang'),
    publisher: found.get('publisher'),
    date: found.get('date') ?? found.get('year'),
    description: annotation.join(' ').slice(0, longestAnnotation) || undefined,
    cover,
  };
}
