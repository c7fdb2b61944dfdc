/** Word documents, by mammoth: chapters by the styles of headings. */
import { SvcError } from '../../errors.ts';
import { sanitizeLine } from '../../messages.ts';
import { loadOptional } from '../../package/optional-package.ts';
import type { Book, ReadBookOptions } from '../book.ts';
import { decodePage } from '../decode-page.ts';
import { type DocumentFile, DocumentLimitError } from '../document-file.ts';
import { type Archive, openArchive } from '../epub/archive.ts';
import { visitXml } from '../epub/visit-xml.ts';
import { readMarkup } from '../markup.ts';
import { type BookDetails, htmlBook } from './html-book.ts';

/** Characters of all parts that mammoth reads, which takes it seconds. Long novels have four million. */
const mostCharacters = 12_000_000;
const tooLarge = `the document is larger than ${mostCharacters / 1e6} MB; save it in several files`;

/** @throws SvcError INVALID_REQUEST, BACKEND_UNAVAILABLE without mammoth */
export async function readDocx(file: DocumentFile, options: ReadBookOptions): Promise<Book> {
  const archive = await openArchive(file, 'DOCX');
  if (!archive.has('word/document.xml') && !archive.has('_rels/.rels'))
    throw new SvcError('INVALID_REQUEST', `${file.path}: this is not a Word document`);
  const parts = archive.names.filter((name) => /^word\/[^/]+\.xml$/.test(name));
  if (parts.reduce((sum, name) => sum + archive.size(name), 0) > mostCharacters) throw new DocumentLimitError(tooLarge);
  const { default: mammoth } = await loadOptional('reading DOCX', () => import('mammoth'));
  const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
  // Its types don't have the archive that it takes in place of bytes.
  const input = { file: partsOf(archive) } as unknown as Parameters<typeof mammoth.convertToHtml>[0];
  const { value } = await mammoth.convertToHtml(input, { convertImage });
  return htmlBook(value, file.path, options, await detailsOf(archive, 'docProps/core.xml'));
}

/** The parts of a document for mammoth, which itself limits neither their size nor their nesting. */
function partsOf(archive: Archive) {
  let characters = 0;
  return {
    // A document's own map of styles would decide what is read.
    exists: (name: string): boolean => name !== 'mammoth/style-map' && archive.has(name),
    async read(name: string, encoding?: string): Promise<Buffer | string> {
      const bytes = await archive.read(name);
      if (encoding === undefined) return bytes;
      if (encoding === 'base64') return bytes.toString('base64');
      const xml = decodePage(bytes);
      // Parts may be anywhere.
      characters += xml.length;
      if (characters > mostCharacters) throw new DocumentLimitError(tooLarge);
      readMarkup(xml, {}, { xmlMode: true });
      return xml;
    },
  };
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
