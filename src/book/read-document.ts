/** Reads a book of any format with the parser of its format. `read-book.ts` calls it in a thread. */
import { readFile, stat } from 'node:fs/promises';
import { SvcError } from '../errors.ts';
import { type DocumentKind, fileKind, kindByName } from '../files/file-kinds.ts';
import { reasonOf, refuseIrregular } from '../files/file-system.ts';
import { quote } from '../messages.ts';
import { requestError } from '../validation.ts';
import type { Book, ReadBookOptions } from './book.ts';
import { type DocumentFile, isFileError, parseForeign } from './document-file.ts';
import { withoutLicence } from './gutenberg-licence.ts';
import { describeLeftOut } from './left-out.ts';

interface Format {
  /** Completes `is not a readable …`. */
  readonly kind: string;
  /** Size of the largest file, in MiB. */
  readonly most: number;
  readonly read: (file: DocumentFile, options: ReadBookOptions) => Promise<Book>;
}

const format = (kind: string, most: number, read: Format['read']): Format => ({ kind, most, read });

const captions = format('file of captions', 16, async (...given) =>
  (await import('./formats/captions-book.ts')).readCaptionsBook(...given),
);
const markdown = format('Markdown file', 32, async (...given) =>
  (await import('./formats/markdown-book.ts')).readMarkdownBook(...given),
);
const text = format('text file', 64, async (...given) =>
  (await import('./formats/text-book.ts')).readTextBook(...given),
);

/** Documents that are no text by themselves. */
const documents: Readonly<Record<DocumentKind, Format>> = {
  epub: format('EPUB file', 512, async (...given) => (await import('./epub/read-epub.ts')).readEpub(...given)),
  docx: format('DOCX file', 256, async (...given) => (await import('./formats/docx-book.ts')).readDocx(...given)),
  odt: format('ODT file', 256, async (...given) => (await import('./formats/odt-book.ts')).readOdt(...given)),
  fb2: format('FictionBook', 64, async (...given) => (await import('./formats/fb2-book.ts')).readFb2(...given)),
  pdf: format('PDF', 256, async (...given) => (await import('./formats/pdf-book.ts')).readPdf(...given)),
  fbz: format('zipped FictionBook', 256, async (...given) =>
    (await import('./formats/fb2-book.ts')).readZippedFb2(...given),
  ),
  rtf: format('RTF document', 64, async (...given) => (await import('./formats/rtf-book.ts')).readRtf(...given)),
  mobi: format('Mobipocket book', 256, async (...given) => (await import('./mobi/read-mobi.ts')).readMobi(...given)),
  html: format('page of HTML', 64, async (...given) => (await import('./formats/html-book.ts')).readHtml(...given)),
  srt: captions,
  vtt: captions,
  ass: captions,
};

/** @throws SvcError INVALID_REQUEST for a file that has no text, with the way out */
function formatOf(path: string): Format {
  const kind = fileKind(path);
  if (kind === undefined) return /\.(?:md|markdown)$/i.test(path) ? markdown : text;
  if ('refused' in kind) throw requestError(`${quote(path)} is ${kind.refused}`);
  return documents[kind.document];
}

/**
 * Reads a document by its bytes, whatever its name: EPUB, DOCX, ODT, FB2, PDF, RTF, MOBI, HTML, captions; a folder with SUMMARY.md; Markdown by
 * its name; else plain text.
 *
 * @throws SvcError INVALID_REQUEST for what is no readable book, or is protected; BACKEND_UNAVAILABLE where a package is
 *   missing
 */
export async function readDocument(path: string, options: ReadBookOptions = {}): Promise<Book> {
  try {
    if ((await stat(path)).isDirectory() && kindByName(path) !== 'epub') {
      const { readMarkdownFolder } = await import('./formats/markdown-book.ts');
      return complete(await parseForeign(path, markdown.kind, () => readMarkdownFolder(path, options)), options);
    }
    const own = formatOf(path);
    const bytes = await readWhole(path, own);
    return complete(await parseForeign(path, own.kind, () => own.read({ path, bytes }, options)), options);
  } catch (cause) {
    if (cause instanceof SvcError || !isFileError(cause)) throw cause;
    throw new SvcError('INVALID_REQUEST', `cannot read the book ${quote(path)}: ${reasonOf(cause)}`, { cause });
  }
}

/** Without a licence around it, and with one warning about all that is left out; formulas have one of their own. */
function complete(read: Book, { keep }: ReadBookOptions): Book {
  const book = withoutLicence(read, keep);
  const warning = describeLeftOut(book, (kind) => kind !== 'tags' && kind !== 'formulas');
  return warning === undefined ? book : { ...book, warnings: [...book.warnings, warning] };
}

/** @param path names the book */
export const readText = (given: string, path: string, options: ReadBookOptions): Promise<Book> =>
  parseForeign(path, text.kind, async () => (await import('./formats/text-book.ts')).textBook(given, path, options));

async function readWhole(path: string, { most }: Format): Promise<Buffer> {
  await refuseIrregular(path, (kind) => requestError(`cannot read the book ${quote(path)}: it is ${kind}`));
  const { size } = await stat(path);
  if (size <= most * 1024 * 1024) return readFile(path);
  throw requestError(`${path}: the file is larger than ${most} MiB`);
}
