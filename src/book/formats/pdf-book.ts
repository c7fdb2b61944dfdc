/** PDF documents with a text layer, by pdf.js: lines are joined to paragraphs; headers, footers and page numbers are left out. */
import { readFile } from 'node:fs/promises';
import { SvcError } from '../../errors.ts';
import { sanitizeLine } from '../../messages.ts';
import { loadOptional } from '../../package/optional-package.ts';
import { type Book, countLeftOut, type LeftOutCounter, type ReadBookOptions } from '../book.ts';
import { htmlBook, titleOfFile } from './html-book.ts';
import { escapeHtml } from './xml-to-html.ts';

const largestFile = 256 * 1024 * 1024;
const mostPages = 10_000;
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
export async function readPdf(path: string, options: ReadBookOptions): Promise<Book> {
  const bytes = await readFile(path);
  const refuse = (problem: string, cause?: unknown): SvcError =>
    new SvcError('INVALID_REQUEST', `${path}: ${problem}`, { cause });
  if (bytes.length > largestFile) throw refuse('the document is larger than 256 MiB');
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
      const reason = sanitizeLine(error instanceof Error ? error.message : String(error));
      throw refuse(
        /password/i.test(reason) ? 'the PDF is protected by a password' : `not a readable PDF: ${reason}`,
        error,
      );
    });
    if (document.numPages > mostPages) throw refuse(`the PDF has more than ${mostPages} pages`);
    const pages: Page[] = [];
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      pages.push({ lines: linesOf(items.flatMap((item) => ('str' in item ? [item] : []))) });
      page.cleanup();
    }
    const characters = pages.reduce(
      (sum, { lines }) => lines.reduce((length, { text }) => length + text.length, sum),
      0,
    );
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

async function outlineOf(document: Document): Promise<Outline> {
  const titles = new Map<number, string[]>();
  for (const { title, dest } of (await document.getOutline().catch(() => [])) ?? []) {
    try {
      const target = typeof dest === 'string' ? await document.getDestination(dest) : dest;
      const index = target?.[0] === undefined ? undefined : await document.getPageIndex(target[0]);
      if (index !== undefined) titles.set(index, [...(titles.get(index) ?? []), sanitizeLine(title)]);
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
  let open = '';
  let width = 0;
  const finish = (): void => {
    if (open !== '') html.push(`<p>${escapeHtml(open)}</p>`);
    open = '';
  };
  for (const [index, { lines }] of pages.entries()) {
    const outline = [...(titles.get(index) ?? [])];
    const longest = Math.max(...lines.map(({ text }) => text.length), 0);
    width = Math.max(longest, width * 0.8);
    let before: Line | undefined;
    for (const [place, line] of lines.entries()) {
      const isEdge = place < 2 || place >= lines.length - 2;
      if (isEdge && leftOut.leaves('page-numbers') && (pageNumber.test(line.text) || repeated.has(pattern(line)))) {
        leftOut.count('page-numbers');
        continue;
      }
      const listed = outline.findIndex((title) => lettersOf(title) !== '' && lettersOf(title) === lettersOf(line.text));
      const isLarge = titles.size === 0 && line.height > usual * 1.25 && line.text.length < 100;
      if (listed !== -1 || isLarge) {
        finish();
        if (listed !== -1) outline.splice(listed, 1);
        html.push(`<h1>${escapeHtml(line.text)}</h1>`);
        before = undefined;
        continue;
      }
      const gap = before === undefined ? 0 : before.y - line.y;
      const isIndented = before !== undefined && line.x - before.x > usual * 0.8;
      const isShort = before !== undefined && before.text.length < width * 0.7 && /[.!?…"”»:]$/u.test(before.text);
      if (before !== undefined && (gap > usual * 1.9 || isIndented || isShort)) finish();
      open = joined(open, line.text);
      before = line;
    }
    // A sentence goes on with the next page.
    if (/[.!?…"”»]$/u.test(open)) finish();
    for (const title of outline) html.push(html.length === 0 ? `<h1>${escapeHtml(title)}</h1>` : '');
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

/** Two lines of a paragraph; a word that is divided is one again. */
function joined(text: string, line: string): string {
  if (text === '') return line;
  if (/\p{Ll}[-\u00ad]$/u.test(text) && /^\p{Ll}/u.test(line)) return text.slice(0, -1) + line;
  const isSpaceless = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}、。，]$/u.test(text);
  return `${text}${isSpaceless ? '' : ' '}${line}`;
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
