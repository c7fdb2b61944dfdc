/** PDF documents with a text layer, by pdf.js: lines are joined to paragraphs; headers, footers and page numbers are left out. */
import { SvcError } from '../../errors.ts';
import { sanitizeLine } from '../../messages.ts';
import { loadOptional } from '../../package/optional-package.ts';
import { type Book, countLeftOut, type LeftOutCounter, type ReadBookOptions } from '../book.ts';
import type { DocumentFile } from '../document-file.ts';
import { htmlBook, titleOfFile } from './html-book.ts';
import { escapeHtml } from './xml-to-html.ts';

/** To find a page, pdf.js goes through all before it. */
const mostPages = 5_000;
/** Pages at the beginning that may be pictures where text follows. */
const mostPictures = 500;
const mostCharacters = 64_000_000;
/** Characters of a page, on average, below which pages are pictures. */
const leastCharacters = 20;

interface Line {
  readonly text: string;
  /** From the bottom of the page, in points. */
  readonly y: number;
  readonly x: number;
  readonly height: number;
}

interface Page {
  readonly lines: readonly Line[];
}

/** @throws SvcError INVALID_REQUEST, also for scanned pages; BACKEND_UNAVAILABLE without pdfjs-dist */
export async function readPdf({ path, bytes }: DocumentFile, options: ReadBookOptions): Promise<Book> {
  const refuse = (problem: string, cause?: unknown): SvcError =>
    new SvcError('INVALID_REQUEST', `${path}: ${problem}`, { cause });
  const { getDocument, VerbosityLevel } = await loadOptional(
    'reading PDF',
    () => import('pdfjs-dist/legacy/build/pdf.mjs'),
  );
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
    const pages: Page[] = [];
    let characters = 0;
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const lines = linesOf(items.flatMap((item) => ('str' in item ? [item] : [])));
      for (const { text } of lines) characters += text.length;
      if (characters > mostCharacters) throw refuse('the PDF has more than 64 MB of text');
      pages.push({ lines });
      page.cleanup();
      if (characters === 0 && number >= mostPictures) break;
    }
    if (characters < leastCharacters * pages.length)
      throw refuse('the PDF has no text, only pictures of it; recognize the text first, as with ocrmypdf');
    const info = (await document.getMetadata().catch(() => undefined))?.info as Record<string, unknown> | undefined;
    const stated = (name: string): string | undefined => sanitizeLine(String(info?.[name] ?? '')) || undefined;
    const leftOut = countLeftOut(options.keep);
    const titles = await outlineOf(document);
    const html = pagesToHtml(pages, titles, leftOut);
    const book = htmlBook(html, path, options, {
      title: stated('Title') ?? titleOfFile(path),
      author: stated('Author'),
    });
    const numbers = leftOut.counts['page-numbers'];
    return { ...book, leftOut: { ...book.leftOut, ...(numbers === undefined ? {} : { 'page-numbers': numbers }) } };
  } finally {
    await task.destroy();
  }
}

interface TextItem {
  readonly str: string;
  readonly transform: readonly number[];
  readonly height: number;
  readonly width: number;
}

function linesOf(items: readonly TextItem[]): readonly Line[] {
  const lines: { text: string; y: number; x: number; height: number; end: number }[] = [];
  for (const { str, transform, height, width } of items) {
    if (str === '') continue;
    const [x = 0, y = 0] = transform.slice(4);
    const last = lines.at(-1);
    const isSame = last !== undefined && Math.abs(last.y - y) < Math.max(2, last.height / 2) && x >= last.end - 3;
    if (isSame) {
      const isApart = x - last.end > last.height * 0.15 && !/\s$/u.test(last.text) && !/^\s/u.test(str);
      last.text += `${isApart ? ' ' : ''}${str}`;
      last.end = x + width;
      last.height = Math.max(last.height, height);
    } else if (str.trim() !== '') lines.push({ text: str, y, x, height, end: x + width });
  }
  return lines.map(({ text, y, x, height }) => ({ text: text.replace(/\s+/gu, ' ').trim(), y, x, height }));
}

/** Titles of the outline by the index of their page. */
type Outline = ReadonlyMap<number, readonly string[]>;

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

/** A line without its numbers, to find what repeats. */
const pattern = ({ text }: Line): string => text.replace(/\d+|\b[ivxlc]+\b/gi, '#').toLowerCase();
const pageNumber =
  /^(?:[-–—[(]?\s?)?(?:(?:page|p\.)\s?)?(?:\d{1,5}|[ivxlc]{1,8})(?:\s?(?:of|\/)\s?\d{1,5})?(?:\s?[-–—\])])?$/i;

function pagesToHtml(pages: readonly Page[], titles: Outline, leftOut: LeftOutCounter): string {
  const repeated = repeatedLines(pages);
  const usual = usualHeight(pages);
  const html: string[] = [];
  /** Lines of a paragraph, with the spaces between them. */
  let open: string[] = [];
  let width = 0;
  const finish = (): void => {
    if (open.length > 0) html.push(`<p>${escapeHtml(open.join(''))}</p>`);
    open = [];
  };
  for (const [index, { lines }] of pages.entries()) {
    const outline = new Map((titles.get(index) ?? []).map((title) => [lettersOf(title), title]));
    const longest = lines.reduce((most, { text }) => Math.max(most, text.length), 0);
    width = Math.max(longest, width * 0.8);
    let before: Line | undefined;
    for (const [place, line] of lines.entries()) {
      const isEdge = place < 2 || place >= lines.length - 2;
      if (isEdge && leftOut.leaves('page-numbers') && (pageNumber.test(line.text) || repeated.has(pattern(line)))) {
        leftOut.count('page-numbers');
        continue;
      }
      const letters = outline.size === 0 ? '' : lettersOf(line.text);
      const isListed = letters !== '' && outline.delete(letters);
      const isLarge = titles.size === 0 && line.height > usual * 1.25 && line.text.length < 100;
      if (isListed || isLarge) {
        finish();
        html.push(`<h1>${escapeHtml(line.text)}</h1>`);
        before = undefined;
        continue;
      }
      const gap = before === undefined ? 0 : before.y - line.y;
      const isIndented = before !== undefined && line.x - before.x > usual * 0.8;
      const isShort = before !== undefined && before.text.length < width * 0.7 && /[.!?…"”»:]$/u.test(before.text);
      if (before !== undefined && (gap > usual * 1.9 || isIndented || isShort)) finish();
      addLine(open, line.text);
      before = line;
    }
    // A sentence goes on with the next page.
    if (/[.!?…"”»]$/u.test(open.at(-1)?.slice(-2) ?? '')) finish();
    for (const title of outline.values()) html.push(html.length === 0 ? `<h1>${escapeHtml(title)}</h1>` : '');
  }
  finish();
  return html.join('\n');
}

/** The height of most characters. */
function usualHeight(pages: readonly Page[]): number {
  const counts = new Map<number, number>();
  for (const { lines } of pages)
    for (const { text, height } of lines)
      counts.set(Math.round(height), (counts.get(Math.round(height)) ?? 0) + text.length);
  const [height = 10] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [];
  return height;
}

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Adds a line to a paragraph; a word that is divided is one again. */
function addLine(paragraph: string[], line: string): void {
  const last = paragraph.at(-1);
  if (last !== undefined) {
    const end = last.slice(-4);
    if (/\p{Ll}[-\u00ad]$/u.test(end) && /^\p{Ll}/u.test(line)) paragraph[paragraph.length - 1] = last.slice(0, -1);
    else if (!/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}、。，]$/u.test(end)) paragraph.push(' ');
  }
  paragraph.push(line);
}

/** Headers and footers: what the edges of a third of the pages, and of at least three, have alike. */
function repeatedLines(pages: readonly Page[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { lines } of pages) {
    const edges = [...lines.slice(0, 2), ...lines.slice(2).slice(-2)];
    for (const key of new Set(edges.map(pattern))) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count >= Math.max(3, pages.length / 3)).map(([key]) => key));
}
