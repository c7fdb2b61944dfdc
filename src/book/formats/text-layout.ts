/** Plain text as HTML: its paragraphs by empty lines, indentation or short lines, its verse, and lines that are headings. */
import { isUnspaced } from '../../engine/text/writing-systems.ts';
import { smallest } from '../../extremes.ts';
import { DocumentLimitError } from '../document-file.ts';
import { GrowingText } from '../growing-text.ts';
import { aboutFile, isAozora, readingsAsRuby } from './aozora.ts';
import { endsDivided, hyphensOf } from './divided-words.ts';
import { extentOf, isCredit, noteOf, pictureCaption, withoutEmphasis } from './gutenberg.ts';
import { headingsIn } from './text-chapters.ts';
import { contentsIn } from './text-contents.ts';
import { cells, type Layout, layoutOf, lineOf, sentenceEnd, type TextLine, type TextLines } from './text-lines.ts';
import { joinNotes } from './text-notes.ts';
import { escapeHtml } from './xml-to-html.ts';

const separator = /^(?:[*•·#~_=\-–—◆◇○●☆★※]\s?){1,30}$/u;
/** Lines with words. Those of the longest books have a hundred thousand. */
const mostLines = 1_000_000;
/** Lines with less are verse or a list. */
const narrowest = 40;

export function textToHtml(text: string): string {
  const { text: own, edges } = withoutPageEdges(text.replace(/^\uFEFF/, ''));
  const written = own.split(/\r\n?|\n|\u2028|\u2029/);
  const { from, isGutenberg, ...extent } = extentOf(written);
  const hasReadings = isAozora(own);
  const about = hasReadings ? aboutFile(written) : undefined;
  const to = Math.min(extent.to, about?.to ?? extent.to);
  const legend = about?.legend.map((line) => line - from) ?? [0, 0];
  const lines = written.slice(from, to).map(lineOf);
  const filled = lines.reduce((count, line) => count + (line.text === '' ? 0 : 1), 0);
  if (filled > mostLines) throw new DocumentLimitError(`it has more than ${mostLines} lines`);
  // Aozora's lines are paragraphs.
  const layout = hasReadings ? { ...layoutOf(lines), isWrapped: false } : layoutOf(lines);
  const html: string[] = [];
  const leaveOut = (kind: string, left: readonly string[]): void => {
    const words = left.join(' ').trim();
    if (words !== '') html.push(`<div data-left-out="${kind}">${escapeHtml(words)}</div>`);
  };
  leaveOut('copyright', written.slice(0, from));
  const { places: skipped, titles } = contentsIn(lines, layout);
  const isLegend = (line: number): boolean => line >= (legend[0] ?? 0) && line < (legend[1] ?? 0);
  const contentLines = new Set(
    [...skipped].flatMap(([start, end]) => lines.slice(start, end).map((_, at) => start + at)),
  );
  const headings = headingsIn(lines, {
    layout,
    titles,
    isAnnotated: hasReadings,
    isSkipped: (line) => contentLines.has(line) || isLegend(line),
  });
  const notes = isGutenberg || /^\[(?:Footnote |1\] )/m.test(text);
  const conventions = { isGutenberg, hasNotes: notes, isHyphen: hyphensOf(lines) };
  let block: TextLine[] = [];
  const finish = (): void => {
    for (const paragraph of paragraphsOf(block, layout)) {
      const words = asHtml(paragraph, conventions);
      html.push(hasReadings ? readingsAsRuby(words) : words);
    }
    block = [];
  };
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as TextLine;
    const contents = skipped.get(index);
    const end = contents ?? (isLegend(index) ? legend[1] : undefined);
    if (end !== undefined) {
      finish();
      const left = lines.slice(index, end).map(({ text: words }) => words);
      leaveOut(contents === undefined ? 'copyright' : 'contents', left);
      index = end - 1;
    } else if (line.text === '') finish();
    else if (separator.test(line.text)) {
      finish();
      html.push('<hr>');
    } else {
      const heading = headings.get(index);
      if (heading === undefined) block.push(line);
      else {
        finish();
        const title = escapeHtml(withoutEmphasis(heading.title, isGutenberg));
        html.push(`<h${heading.level}>${title}</h${heading.level}>`);
        index = heading.last;
      }
    }
  }
  finish();
  if (notes && !isGutenberg) joinNotes(html);
  leaveOut('copyright', written.slice(to));
  for (const edge of edges) leaveOut('page-numbers', [edge]);
  return html.join('\n');
}

/** Lines of a paragraph; `isVerse` for those that stay apart. */
interface Paragraph {
  readonly lines: readonly string[];
  readonly breaks: readonly boolean[];
}

/** Paragraphs of lines without an empty one between them. */
function paragraphsOf(block: TextLines, { width, isWrapped }: Layout): readonly Paragraph[] {
  if (!isWrapped) return block.map(({ text }) => ({ lines: [text], breaks: [] }));
  const paragraphs: { lines: string[]; breaks: boolean[] }[] = [];
  const least = smallest(block.map(({ indent }) => indent));
  // Verse is indented as a whole; a paragraph has its first line alone.
  const indented = block.filter(({ indent }) => indent > least).length;
  const marksParagraphs =
    indented > 0 && indented <= Math.max(1, block.length * 0.67) && (block[0]?.indent ?? 0) > least;
  const slack = Math.max(6, width * 0.15);
  for (const [index, { text, indent }] of block.entries()) {
    const last = block[index - 1];
    const word = cells(isUnspaced(text[0]) ? text.slice(0, 1) : (text.split(/\s/u, 1)[0] ?? ''));
    const isShort = last !== undefined && width >= narrowest && last.width + 1 + word <= width - slack;
    const isNew =
      last === undefined ||
      (indent > last.indent &&
        (marksParagraphs || indent - last.indent <= 8) &&
        (sentenceEnd.test(last.text) || indent > least + 1)) ||
      (isShort && sentenceEnd.test(last.text));
    if (isNew) paragraphs.push({ lines: [text], breaks: [] });
    else {
      const isLine = isShort && /^["“‘«(]?\p{Lu}/u.test(text);
      paragraphs.at(-1)?.lines.push(text);
      paragraphs.at(-1)?.breaks.push(isLine);
    }
  }
  return paragraphs;
}

interface Conventions {
  readonly isGutenberg: boolean;
  readonly hasNotes: boolean;
  /** Whether the hyphen between two lines is none of the word. */
  readonly isHyphen: (line: string, next: string) => boolean;
}

function asHtml({ lines, breaks }: Paragraph, { isGutenberg, hasNotes, isHyphen }: Conventions): string {
  const growing = new GrowingText(lines[0]);
  for (const [index, line] of lines.slice(1).entries()) {
    const isDivided = endsDivided(growing.end, line);
    if (isDivided && isHyphen(growing.end, line)) growing.cut();
    growing.add((breaks[index] === true ? '\n' : isDivided || isSpaceless(growing.end) ? '' : ' ') + line);
  }
  const text = growing.whole();
  const plain = text.replaceAll('\n', ' ');
  if (isGutenberg && isCredit(plain)) return `<div data-left-out="copyright">${escapeHtml(plain)}</div>`;
  const caption = pictureCaption(plain);
  if (caption !== undefined) return caption === '' ? '' : `<p>${escapeHtml(withoutEmphasis(caption, isGutenberg))}</p>`;
  if (hasNotes && noteOf(plain) !== undefined) return `<div data-left-out="notes">${escapeHtml(plain)}</div>`;
  const html = escapeHtml(withoutEmphasis(text, isGutenberg)).replaceAll('\n', '<br>');
  const marked = hasNotes
    ? html.replace(/(?<=\S)\[(\d{1,4}|[A-Z*†‡])\]/g, '<span data-left-out="notes">$&</span>')
    : html;
  return `<p>${marked}</p>`;
}

/** Whether no space belongs between lines, by the end of the first. */
const isSpaceless = (text: string): boolean => {
  const last = [...text.slice(-2)].at(-1);
  return isUnspaced(last) || /[、。，！？；：」』]/u.test(last ?? '');
};

/** Without the edges of pages, which form feeds part: running heads and numbers. */
function withoutPageEdges(text: string): { readonly text: string; readonly edges: readonly string[] } {
  if (!text.includes('\f')) return { text, edges: [] };
  const pages = text.split('\f').map((page) => page.split(/\r\n?|\n/));
  const pattern = (line: string): string =>
    line
      .replace(/\d+|\b[ivxlc]+\b/gi, '#')
      .replace(/\s+/g, ' ')
      .trim()
      .toLowerCase();
  const edgesOf = (page: readonly string[]): readonly number[] => {
    const filled = page.flatMap((line, index) => (line.trim() === '' ? [] : [index]));
    return [...new Set([filled[0] ?? -1, filled.at(-1) ?? -1])].filter((index) => index !== -1);
  };
  const counts = new Map<string, number>();
  for (const page of pages)
    for (const index of edgesOf(page)) {
      const key = pattern(page[index] ?? '');
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  const edges: string[] = [];
  const kept = pages.map((page) => {
    const left = new Set(edgesOf(page).filter((index) => (counts.get(pattern(page[index] ?? '')) ?? 0) >= 3));
    for (const index of left) edges.push(page[index] ?? '');
    return page
      .filter((_, index) => !left.has(index))
      .join('\n')
      .replace(/^\n{1,99}/, '')
      .trimEnd();
  });
  return { text: kept.join('\n'), edges };
}
