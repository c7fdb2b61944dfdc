/** Word documents, by mammoth: chapters by the styles of headings. */
import { posix } from 'node:path';
import { SvcError } from '../../errors.ts';
import { sanitizeLine } from '../../messages.ts';
import { loadOptional } from '../../package/optional-package.ts';
import type { Book, BookDetails, ReadBookOptions } from '../book.ts';
import { decodePage } from '../decode-page.ts';
import { type DocumentFile, DocumentLimitError } from '../document-file.ts';
import { type Archive, openArchive } from '../epub/archive.ts';
import { countLeftOut, type LeftOutCounter, type LeftOutKind } from '../left-out.ts';
import { readMarkup, visitXml } from '../markup.ts';
import { rewritePart } from './docx-words.ts';
import { htmlBook } from './html-book.ts';
import { readWordStyles } from './word-styles.ts';
import { escapeHtml } from './xml-to-html.ts';

/** Characters of all parts that mammoth reads, which takes it seconds. Long novels have four million. */
const mostCharacters = 12_000_000;
const tooLarge = `the document is larger than ${mostCharacters / 1e6} MB; save it in several files`;

/** @throws SvcError INVALID_REQUEST, BACKEND_UNAVAILABLE without mammoth */
export async function readDocx(file: DocumentFile, options: ReadBookOptions): Promise<Book> {
  const archive = await openArchive(file, 'DOCX');
  if (!archive.has('word/document.xml') && !archive.has('_rels/.rels'))
    throw new SvcError('INVALID_REQUEST', `${file.path}: this is not a Word document`);
  const texts = archive.names.filter((name) => /^word\/[^/]+\.xml$/.test(name));
  if (texts.reduce((sum, name) => sum + archive.size(name), 0) > mostCharacters) throw new DocumentLimitError(tooLarge);
  const { default: mammoth } = await loadOptional('reading DOCX', () => import('mammoth'));
  const leftOut = countLeftOut(options.keep);
  const parts = await partsOf(archive, leftOut);
  const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
  const styleMap = leftOut.leaves('comments') ? [] : ['comment-reference => sup'];
  // Its types don't have the archive that it takes in place of bytes.
  const input = { file: parts } as unknown as Parameters<typeof mammoth.convertToHtml>[0];
  const { value, messages } = await mammoth.convertToHtml(input, { convertImage, styleMap });
  await countBeside(archive, leftOut);
  const warnings = warningsOf(messages.map(({ message }) => sanitizeLine(message)));
  const heads = leftOut.leaves('page-numbers') ? '' : await headersOf(archive);
  return htmlBook(heads + value, file.path, options, await detailsOf(archive, 'docProps/core.xml'), {
    leftOut,
    warnings,
  });
}

/** Messages of mammoth about looks and pictures, which nobody hears, and of fields whose contents were left out. */
const looks = /^(?:Unrecognised |\w+ style with ID |Image of type |Could not find image file |Ignoring complex field )/;
const mostWarnings = 20;

function warningsOf(messages: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const message of messages) if (!looks.test(message)) counts.set(message, (counts.get(message) ?? 0) + 1);
  return [...counts]
    .slice(0, mostWarnings)
    .map(([message, count]) => `mammoth: ${message}${count > 1 ? ` (${count} times)` : ''}`);
}

const story = /^[^<]{0,99}(?:<\?[^>]{0,999}>[^<]{0,99})?<(?:[\w-]{1,40}:)?(?:document|(?:foot|end)notes|comments)[\s>]/;

/** The parts of a document for mammoth, which itself limits neither their size nor their nesting. */
async function partsOf(archive: Archive, leftOut: LeftOutCounter) {
  let characters = 0;
  const xmlOf = async (name: string): Promise<string> => {
    const xml = decodePage(await archive.read(name));
    characters += xml.length;
    if (characters > mostCharacters) throw new DocumentLimitError(tooLarge);
    readMarkup(xml, 'xml');
    return xml;
  };
  const sheet = archive.names.find((name) => /^word\/styles\d{0,9}\.xml$/i.test(name));
  const styles = readWordStyles(sheet === undefined ? '' : await xmlOf(sheet));
  const relationsOf = async (name: string): Promise<ReadonlySet<string>> => {
    const path = `${posix.dirname(name)}/_rels/${posix.basename(name)}.rels`;
    const ids = new Set<string>();
    if (archive.has(path))
      readMarkup(await xmlOf(path), 'xml', {
        open: (_, { Id, Target }) => void (Id !== undefined && Target !== undefined && ids.add(Id)),
      });
    return ids;
  };
  return {
    // A document's own map of styles would decide what is read.
    exists: (name: string): boolean => name !== 'mammoth/style-map' && archive.has(name),
    async read(name: string, encoding?: string): Promise<Buffer | string> {
      if (encoding === undefined || encoding === 'base64') {
        const bytes = await archive.read(name);
        return encoding === undefined ? bytes : bytes.toString('base64');
      }
      const xml = await xmlOf(name);
      return story.test(xml) ? rewritePart(xml, { styles, relations: await relationsOf(name) }, leftOut) : xml;
    },
  };
}

/** Words that are in files of their own, and that nobody reads: comments, running heads, drawings and charts. */
const beside: readonly (readonly [RegExp, LeftOutKind, string])[] = [
  [/^word\/comments\.xml$/i, 'comments', 'comment'],
  [/^word\/(?:header|footer)\d{0,9}\.xml$/i, 'page-numbers', 'p'],
  [/^word\/(?:charts\/chart|diagrams\/data)\w{0,20}\.xml$/i, 'embedded', ''],
  [/^word\/(?:afchunk|embeddings\/.{1,99}\.(?:docx|rtf|html?|mht))/i, 'embedded', ''],
];

async function countBeside(archive: Archive, leftOut: LeftOutCounter): Promise<void> {
  for (const name of archive.names) {
    const [, kind, element] = beside.find(([pattern]) => pattern.test(name)) ?? [];
    if (kind === undefined || !leftOut.leaves(kind)) continue;
    if (!/\.xml$/i.test(name)) {
      leftOut.count(kind, name);
      continue;
    }
    const texts = wordsIn(decodePage(await archive.read(name)), element ?? '');
    for (const words of texts) leftOut.count(kind, words);
  }
}

/** The words of each such element; of the whole part where it is empty. */
function wordsIn(xml: string, element: string): readonly string[] {
  const found: string[] = [];
  let words = '';
  let isText = false;
  const end = (): void => {
    if (words.trim() !== '') found.push(words.trim());
    words = '';
  };
  visitXml(xml, {
    open: (name) => {
      isText = name === 't' || name === 'v';
    },
    text: (text) => {
      if (isText) words += text;
    },
    close: (name) => {
      isText = false;
      if (name === element) end();
    },
  });
  end();
  return found;
}

async function headersOf(archive: Archive): Promise<string> {
  const names = archive.names.filter((name) => /^word\/(?:header|footer)\d{0,9}\.xml$/i.test(name));
  const texts = new Set<string>();
  for (const name of names) for (const words of wordsIn(decodePage(await archive.read(name)), 'p')) texts.add(words);
  return [...texts].map((words) => `<p>${escapeHtml(words)}</p>`).join('');
}

/** Title, author and language by Dublin Core, as DOCX and ODT have it. */
export async function detailsOf(archive: Archive, name: string): Promise<BookDetails> {
  if (!archive.has(name)) return {};
  const found = new Map<string, string>();
  visitXml(decodePage(await archive.read(name)), {
    close: (element, content) => {
      const value = sanitizeLine(content);
      if (value !== '' && !found.has(element)) found.set(element, value);
    },
  });
  return {
    title: found.get('title'),
    author: found.get('creator') ?? found.get('initial-creator'),
    language: found.get('language'),
    description: found.get('description'),
  };
}
