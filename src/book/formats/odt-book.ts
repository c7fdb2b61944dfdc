/** OpenDocument texts: chapters by their headings. */
import { SvcError } from '../../errors.ts';
import type { Book, ReadBookOptions } from '../book.ts';
import { decodePage } from '../decode-page.ts';
import type { DocumentFile } from '../document-file.ts';
import { openArchive } from '../epub/archive.ts';
import { detailsOf } from './docx-book.ts';
import { htmlBook } from './html-book.ts';
import { xmlToHtml } from './xml-to-html.ts';

const elements: Readonly<Record<string, string>> = {
  'text:p': '<p>',
  'text:list-item': '<li>',
  'table:table-row': '<tr>',
  'table:table-cell': '<td>',
  'text:line-break': '<br>',
  'text:note': '<span class="footnote">',
  'text:table-of-content': '<div role="doc-toc">',
  'text:alphabetical-index': '<div role="doc-index">',
};
const silent = /^(?:office:annotation|text:tracked-changes|office:forms|office:scripts|text:sequence-decls|draw:.*)$/;

/** @throws SvcError INVALID_REQUEST */
export async function readOdt(file: DocumentFile, options: ReadBookOptions): Promise<Book> {
  const { path } = file;
  const archive = await openArchive(file, 'ODT');
  if (!archive.has('content.xml')) throw new SvcError('INVALID_REQUEST', `${path}: this is not an OpenDocument text`);
  const html = xmlToHtml(decodePage(await archive.read('content.xml')), (name, attributes) => {
    if (name === 'text:h') return `<h${Math.min(6, Math.max(1, Number(attributes['text:outline-level']) || 1))}>`;
    if (silent.test(name)) return undefined;
    if (name === 'text:s' || name === 'text:tab') return '<i> ';
    return elements[name] ?? '';
  });
  return htmlBook(html, path, options, await detailsOf(archive, 'meta.xml'));
}
