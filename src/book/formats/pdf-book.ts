/** PDF documents with a text layer, by pdf.js: lines are joined to paragraphs; headers, footers and page numbers are left out. */
import { SvcError } from '../../errors.ts';
import { sanitizeLine } from '../../messages.ts';
import { loadOptional } from '../../package/optional-package.ts';
import type { Book, ReadBookOptions } from '../book.ts';
import type { DocumentFile } from '../document-file.ts';
import { countLeftOut, type LeftOutCounter } from '../left-out.ts';
import { htmlBook, titleOfFile } from './html-book.ts';
import { linesOf, type Page, type TextItem } from './pdf-lines.ts';
import { type Outline, pagesToHtml } from './pdf-paragraphs.ts';
import { pagesOfSheets, type Sheet, type SheetPage } from './pdf-spreads.ts';

/** To find a page, pdf.js goes through all before it. */
const mostPages = 5_000;
/** Pages at the beginning that may be pictures where text follows. */
const mostPictures = 500;
const mostCharacters = 64_000_000;
/** Characters of a page, on average, below which pages are pictures. */
const leastCharacters = 20;

/** @throws SvcError INVALID_REQUEST, also for scanned pages; BACKEND_UNAVAILABLE without pdfjs-dist */
export async function readPdf({ path, bytes }: DocumentFile, options: ReadBookOptions): Promise<Book> {
  const refuse = (problem: string, cause?: unknown): SvcError =>
    new SvcError('INVALID_REQUEST', `${path}: ${problem}`, { cause });
  const load = () => import('pdfjs-dist/legacy/build/pdf.mjs');
  const { getDocument, VerbosityLevel } = await loadOptional('reading PDF', load);
  const task = getDocument({
    data: new Uint8Array(bytes),
    isEvalSupported: false,
    useSystemFonts: false,
    disableFontFace: true,
    verbosity: VerbosityLevel.ERRORS,
  });
  try {
    const document = await task.promise.catch((error: unknown) => {
      throw error instanceof Error && error.name === 'PasswordException'
        ? refuse('the PDF is protected by a password', error)
        : error;
    });
    if (document.numPages > mostPages) throw refuse(`the PDF has more than ${mostPages} pages`);
    const leftOut = countLeftOut(options.keep);
    const sheets: Sheet[] = [];
    const emptyPages: number[] = [];
    let characters = 0;
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const own = items.flatMap((item) => ('str' in item ? [item] : []));
      const length = own.reduce((sum, { str }) => sum + str.trim().length, 0);
      characters += length;
      if (characters > mostCharacters) throw refuse('the PDF has more than 64 MB of text');
      const [left = 0, bottom = 0, right = 0, top = 0] = page.view;
      sheets.push({ items: own.map(itemOf), left, width: right - left, height: top - bottom });
      if (length === 0) emptyPages.push(number);
      await countAnnotations(page, leftOut);
      page.cleanup();
      if (characters === 0 && number >= mostPictures) break;
    }
    if (characters < leastCharacters * sheets.length)
      throw refuse('the PDF has no text, only pictures of it; recognize the text first, as with ocrmypdf');
    const info = (await document.getMetadata().catch(() => undefined))?.info as Record<string, unknown> | undefined;
    const stated = (name: string): string | undefined => {
      const value = sanitizeLine(String(info?.[name] ?? '')).replace(/^Microsoft (?:Office )?Word - /, '');
      return nothing.test(value) ? undefined : value;
    };
    const parts = pagesOfSheets(sheets);
    const pages = parts.map(({ items }): Page => ({ lines: linesOf(items, leftOut) }));
    const html = pagesToHtml(pages, outlineOfPages(await outlineOf(document), parts), leftOut);
    const details = { title: stated('Title') ?? titleOfFile(path), author: stated('Author') };
    return htmlBook(html, path, options, details, { leftOut, warnings: aboutEmpty(emptyPages) });
  } finally {
    await task.destroy();
  }
}

/** The parts of a piece of text that are needed, of which a book has millions. */
const itemOf = ({ str, transform, height, width }: TextItem): TextItem => ({ str, transform, height, width });

/** Titles and authors that programs write where nobody has stated any. */
const nothing = /^\W{0,3}(?:untitled(?: document)?|anonymous|unspecified|unknown|none|null|title|author)?\W{0,3}$/i;

/** Titles by the pages of the book. */
const outlineOfPages = (titles: Outline, pages: readonly SheetPage[]): Outline =>
  new Map(pages.flatMap(({ sheet }, index) => (titles.has(sheet) ? [[index, titles.get(sheet) ?? []] as const] : [])));

type Document = Awaited<ReturnType<typeof import('pdfjs-dist/legacy/build/pdf.mjs').getDocument>['promise']>;

const mostTitles = 5_000;

async function outlineOf(document: Document): Promise<Outline> {
  const titles = new Map<number, string[]>();
  const outline = (await document.getOutline().catch(() => [])) ?? [];
  for (const { title, dest } of outline.slice(0, mostTitles)) {
    try {
      const target = typeof dest === 'string' ? await document.getDestination(dest) : dest;
      const index = target?.[0] === undefined ? undefined : await document.getPageIndex(target[0]);
      if (index === undefined) continue;
      const own = titles.get(index) ?? [];
      own.push(sanitizeLine(title));
      titles.set(index, own);
    } catch {
      // A place that is missing.
    }
  }
  return titles;
}

/** Notes and fields that are laid over a page. */
async function countAnnotations(
  page: Awaited<ReturnType<Document['getPage']>>,
  leftOut: LeftOutCounter,
): Promise<void> {
  const annotations = (await page.getAnnotations().catch(() => [])) as readonly Readonly<Record<string, unknown>>[];
  for (const { subtype, fieldValue, contentsObj } of annotations) {
    const written = (contentsObj as { readonly str?: string } | undefined)?.str ?? '';
    if (typeof fieldValue === 'string' && fieldValue.trim() !== '') leftOut.count('embedded', fieldValue);
    else if (written.trim() !== '' && subtype !== 'Popup' && subtype !== 'Link') leftOut.count('embedded', written);
  }
}

function aboutEmpty(pages: readonly number[]): readonly string[] {
  if (pages.length === 0) return [];
  return [
    `pages without text are silent (${pages.length}, first page ${pages[0]}); if they are pictures of text, recognize it first, as with ocrmypdf`,
  ];
}
