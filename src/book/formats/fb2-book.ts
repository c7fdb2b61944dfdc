/** FictionBook 2: chapters by the titles of its sections. */
import { readFile } from 'node:fs/promises';
import { SvcError } from '../../errors.ts';
import { sanitizeLine } from '../../messages.ts';
import type { Book, Cover, ReadBookOptions } from '../book.ts';
import { decodePage } from '../decode-page.ts';
import { visitXml } from '../epub/visit-xml.ts';
import { type BookDetails, htmlBook } from './html-book.ts';
import { xmlToHtml } from './xml-to-html.ts';

const largestFile = 64 * 1024 * 1024;
const mostLevels = 6;

const elements: Readonly<Record<string, string>> = {
  p: '<p>',
  v: '<p>',
  subtitle: '<p>',
  epigraph: '<blockquote>',
  cite: '<blockquote>',
  'text-author': '<p>',
  date: '<p>',
  stanza: '<div>',
  'empty-line': '<br>',
  tr: '<tr>',
  td: '<td>',
  th: '<th>',
  sup: '<sup>',
};

/** @throws SvcError INVALID_REQUEST */
export async function readFb2(path: string, options: ReadBookOptions): Promise<Book> {
  const bytes = await readFile(path);
  if (bytes.length > largestFile) throw new SvcError('INVALID_REQUEST', `${path}: the book is larger than 64 MiB`);
  const xml = decodePage(bytes);
  if (!/<FictionBook[\s>]/i.test(xml.slice(0, 10_000)))
    throw new SvcError('INVALID_REQUEST', `${path}: this is not a FictionBook`);
  const html = xmlToHtml(xml, (name, attributes) => {
    if (['description', 'binary', 'stylesheet', 'image'].includes(name)) return undefined;
    // Bodies with a name are notes and comments.
    if (name === 'body') return attributes.name === undefined ? '<div>' : '<div class="footnotes">';
    if (name === 'section') return '<section>';
    if (name === 'title') return '<h1>';
    if (name === 'a') return attributes.type === 'note' ? '<a class="noteref">' : '';
    return elements[name] ?? '';
  });
  return htmlBook(withLevels(html), path, options, detailsOf(xml));
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

function detailsOf(xml: string): BookDetails {
  const path: string[] = [];
  const found = new Map<string, string>();
  const authors: string[] = [];
  let coverName: string | undefined;
  let cover: Cover | undefined;
  let binary: { readonly type: string } | undefined;
  let content = '';
  let person: string[] = [];
  visitXml(xml, {
    open(name, attributes) {
      path.push(name);
      content = '';
      const where = path.join('/');
      if (where.endsWith('title-info/author')) person = [];
      if (where.endsWith('coverpage/image'))
        coverName ??= Object.values(attributes).find((value) => value.startsWith('#'));
      if (name === 'binary' && attributes.id !== undefined && `#${attributes.id}` === coverName)
        binary = { type: (attributes['content-type'] ?? '').replace('image/jpg', 'image/jpeg') };
    },
    text(text) {
      content += text;
    },
    close(name) {
      const where = path.join('/');
      path.pop();
      const value = name === 'binary' ? content : sanitizeLine(content);
      if (name === 'binary' && binary !== undefined) {
        if (/^image\/(?:jpeg|png)$/.test(binary.type))
          cover = { bytes: Buffer.from(value, 'base64'), mimeType: binary.type };
        binary = undefined;
      } else if (/title-info\/author\/(?:first|middle|last)-name$/.test(where) && value !== '') person.push(value);
      else if (where.endsWith('title-info/author') && person.length > 0) authors.push(person.join(' '));
      else if (where.includes('title-info/annotation/') && value !== '')
        found.set('annotation', `${found.get('annotation') ?? ''} ${value}`.trim());
      else if (/(?:title|publish)-info\/[^/]{1,40}$/.test(where) && value !== '' && !found.has(name))
        found.set(name, value);
      content = '';
    },
  });
  const title = found.get('book-title');
  return {
    ...(title === undefined ? {} : { title }),
    author: authors.join(', ') || undefined,
    language: found.get('lang'),
    publisher: found.get('publisher'),
    date: found.get('date') ?? found.get('year'),
    description: found.get('annotation'),
    cover,
  };
}
