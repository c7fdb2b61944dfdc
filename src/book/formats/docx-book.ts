/** Word documents, by mammoth: chapters by the styles of headings. */
import { readFile } from 'node:fs/promises';
import { SvcError } from '../../errors.ts';
import { sanitizeLine } from '../../messages.ts';
import { loadOptional } from '../../package/optional-package.ts';
import type { Book, ReadBookOptions } from '../book.ts';
import { decodePage } from '../decode-page.ts';
import { type Archive, openArchive } from '../epub/archive.ts';
import { visitXml } from '../epub/visit-xml.ts';
import { type BookDetails, htmlBook } from './html-book.ts';

const largestDocument = 32 * 1024 * 1024;

/** @throws SvcError INVALID_REQUEST, BACKEND_UNAVAILABLE without mammoth */
export async function readDocx(path: string, options: ReadBookOptions): Promise<Book> {
  const archive = await openArchive(path, 'DOCX');
  if (!archive.has('word/document.xml')) throw new SvcError('INVALID_REQUEST', `${path}: this is not a Word document`);
  if (
    ['word/document.xml', 'word/footnotes.xml', 'word/endnotes.xml'].some(
      (name) => archive.size(name) > largestDocument,
    )
  )
    throw new SvcError('INVALID_REQUEST', `${path}: the document is larger than 32 MB`);
  const { default: mammoth } = await loadOptional('reading DOCX', () => import('mammoth'));
  const buffer = await readFile(path);
  const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
  const { value } = await mammoth.convertToHtml({ buffer }, { convertImage }).catch((error: unknown) => {
    const reason = sanitizeLine(error instanceof Error ? error.message : String(error));
    throw new SvcError('INVALID_REQUEST', `${path} is not a readable DOCX file: ${reason}`, { cause: error });
  });
  return htmlBook(value, path, options, await detailsOf(archive, 'docProps/core.xml'));
}

/** Title, author and language by Dublin Core, as DOCX and ODT have it. */
export async function detailsOf(archive: Archive, name: string): Promise<BookDetails> {
  if (!archive.has(name)) return {};
  const found = new Map<string, string>();
  let content = '';
  visitXml(decodePage(await archive.read(name)), {
    open: () => {
      content = '';
    },
    text: (text) => {
      content += text;
    },
    close: (element) => {
      const value = sanitizeLine(content);
      content = '';
      if (value !== '' && !found.has(element)) found.set(element, value);
    },
  });
  const title = found.get('title');
  return {
    ...(title === undefined ? {} : { title }),
    author: found.get('creator') ?? found.get('initial-creator'),
    language: found.get('language'),
    description: found.get('description'),
  };
}
