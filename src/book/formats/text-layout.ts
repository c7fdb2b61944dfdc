/** Plain text as HTML: its paragraphs by empty lines, indentation or short lines, its verse, and lines that are headings. */
import { isUnspaced } from '../../engine/text/writing-systems.ts';
import { DocumentLimitError } from '../document-file.ts';
import { aboutFile, headingOf, isAozora, readingsAsRuby, withoutAnnotations } from './aozora.ts';
import { extentOf, isCredit, noteOf, pictureCaption, withoutEmphasis } from './gutenberg.ts';
import { headingLevel, isBareHeading, looksLikeTitle } from './text-headings.ts';
import { escapeHtml } from './xml-to-html.ts';

interface TextLine {
  readonly text: string;
  /** Cells of space before it. */
  readonly indent: number;
  /** Cells of its words; Chinese characters have two. */
  readonly width: number;
}

const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/g;
const cells = (text: string): number => text.length + (text.match(wide)?.length ?? 0);

function lineOf(line: string): TextLine {
  const text = line.trim();
  const space = line.slice(0, line.length - line.trimStart().length);
  let indent = 0;
  for (const character of space) indent += character === '\t' ? 4 : character === '\u3000' ? 2 : 1;
  return { text, indent, width: cells(text) };
}

const sentenceEnd = /[.!?…。！？；:：]["'”’»)\]」』]*$|["”»」』]$|^$/u;
const separator = /^(?:[*•·#~_=\-–—◆◇○●☆★※]\s?){1,30}$/u;
/** Lines with words. Those of the longest books have a hundred thousand. */
const mostLines = 1_000_000;
/** Lines with more are whole paragraphs. */
const widest = 100;
/** Lines with less are verse or a list. */
const narrowest = 40;

/** How a text is broken into lines. */
interface Layout {
  readonly width: number;
  readonly isWrapped: boolean;
}

function layoutOf(lines: readonly TextLine[]): Layout {
  const filled = lines.filter(({ text }) => text !== '');
  const widths = filled.map(({ width }) => width).sort((one, other) => one - other);
  const width = widths[Math.floor(widths.length * 0.9)] ?? 0;
  const long = widths.filter((own) => own > widest).length;
  if (long >= Math.max(1, filled.length / 10)) return { width, isWrapped: false };
  let [pairs, continued] = [0, 0];
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    if (line.text === '' || next === undefined || next.text === '') continue;
    pairs += 1;
    const isFull = line.width >= width - 3;
    if (!sentenceEnd.test(line.text) && (/^\p{Ll}/u.test(next.text) || (isFull && /^\p{Lo}/u.test(next.text))))
      continued += 1;
  }
  const isApart = lines.length - filled.length > 2;
  return { width, isWrapped: isApart || (pairs > 0 && continued >= pairs * 0.2) };
}

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
  const skipped = contentsIn(lines);
  const notes = isGutenberg || /^\[(?:Footnote |1\] )/m.test(text);
  let block: TextLine[] = [];
  const finish = (): void => {
    for (const paragraph of paragraphsOf(block, layout)) {
      const words = asHtml(paragraph, isGutenberg, notes);
      html.push(hasReadings ? readingsAsRuby(words) : words);
    }
    block = [];
  };
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as TextLine;
    const contents = skipped.get(index);
    if (contents !== undefined) {
      finish();
      leaveOut(
        'contents',
        lines.slice(index, contents).map((own) => own.text),
      );
      index = contents - 1;
    } else if (index >= (legend[0] ?? 0) && index < (legend[1] ?? 0)) {
      finish();
      leaveOut(
        'copyright',
        lines.slice(index, legend[1]).map((own) => own.text),
      );
      index = (legend[1] ?? 0) - 1;
    } else if (line.text === '') finish();
    else if (separator.test(line.text)) {
      finish();
      html.push('<hr>');
    } else {
      const heading = hasReadings ? annotatedHeading(lines, index) : headingAt(lines, index);
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
  leaveOut('copyright', written.slice(to));
  for (const edge of edges) leaveOut('page-numbers', [edge]);
  return html.join('\n');
}

interface Heading {
  readonly title: string;
  readonly level: number;
  /** Number of its last line. */
  readonly last: number;
}

/** A heading of Aozora Bunko, by its annotation, else by its looks. */
function annotatedHeading(lines: readonly TextLine[], index: number): Heading | undefined {
  const { text } = lines[index] as TextLine;
  const level = headingOf(text);
  const heading = level === undefined ? headingAt(lines, index) : { title: text, level, last: index };
  return heading && { ...heading, title: withoutAnnotations(heading.title) };
}

/** Empty lines from a place on, in a direction. */
function emptyFrom(lines: readonly TextLine[], index: number, step: 1 | -1): number {
  let count = 0;
  let at = index;
  for (; count < 9 && lines[at]?.text === ''; at += step) count += 1;
  // The ends of the text are as good as empty lines.
  return lines[at] === undefined ? 9 : count;
}

function headingAt(lines: readonly TextLine[], index: number): Heading | undefined {
  const { text } = lines[index] as TextLine;
  const before = emptyFrom(lines, index - 1, -1);
  const behind = emptyFrom(lines, index + 1, 1);
  const endsBefore = sentenceEnd.test(lines[index - 1]?.text ?? '');
  const level = headingLevel(text, { before, behind, endsBefore });
  if (level === undefined) return undefined;
  if (!isBareHeading(text)) return behindTitle(lines, { title: text, level, last: index });
  // `CHAPTER I.` above its title, perhaps with an empty line between them.
  const next = index + 1 + (behind === 1 ? 1 : 0);
  const title = lines[next]?.text ?? '';
  const isTitle =
    title !== '' &&
    behind < 2 &&
    emptyFrom(lines, next + 1, 1) > 0 &&
    looksLikeTitle(title) &&
    headingLevel(title, { before: 1, behind: 1, endsBefore: true }) !== 2;
  if (!isTitle) return { title: text, level, last: index };
  return { title: `${text.replace(/[.:]$/, '')}. ${title}`.replace(/\.\. /, '. '), level, last: next };
}

/** A title of two lines, both in capitals. */
function behindTitle(lines: readonly TextLine[], heading: Heading): Heading {
  const next = lines[heading.last + 1]?.text ?? '';
  const isUpper = (text: string): boolean => /\p{Lu}{2}/u.test(text) && text === text.toUpperCase();
  if (!isUpper(heading.title) || !isUpper(next) || emptyFrom(lines, heading.last + 2, 1) === 0) return heading;
  return { ...heading, title: `${heading.title} ${next}`, last: heading.last + 1 };
}

const contentsTitle =
  /^(?:(?:table of )?contents|inhalt(?:sverzeichnis)?|table des matières|índice|indice|оглавление|содержание|目录|目錄|目次|inhoud|spis treści|innehåll|sisällys)[.:]?$/iu;
const mostEntries = 600;
const lettersOf = (line: string): string =>
  line
    .toLowerCase()
    .replace(/[.\s…·]{0,99}\d{1,4}\s{0,9}$/u, '')
    .replace(/[^\p{L}\p{N}]/gu, '');

/** Tables of contents by their first line: they end where their first entry is the heading of a chapter. */
function contentsIn(lines: readonly TextLine[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const [index, { text }] of lines.entries()) {
    if (found.size > 3 || !contentsTitle.test(text)) continue;
    const entries = lines.slice(index + 1, index + mostEntries).map((line) => lettersOf(line.text));
    const first = entries.findIndex((entry) => entry.length > 1 && !/^(?:chapter|page|chapterpage|part)$/.test(entry));
    if (first === -1) continue;
    const entry = entries[first] as string;
    for (let at = first + 1; at < entries.length; at += 1) {
      const place = index + 1 + at;
      const own = entries[at] as string;
      if (own === '' || emptyFrom(lines, place - 1, -1) === 0) continue;
      const both = own + (entries[at + 1] || entries[at + 2] || '');
      const isFirst =
        own === entry || both === entry || (own.length > 4 && entry.startsWith(own) && both.startsWith(entry));
      const named = own.length > 6 && (entry.endsWith(own) || own.endsWith(entry));
      if (!isFirst && !(named && headingAt(lines, place) !== undefined)) continue;
      found.set(index, place);
      break;
    }
  }
  return found;
}

/** Lines of a paragraph; `isVerse` for those that stay apart. */
interface Paragraph {
  readonly lines: readonly string[];
  readonly breaks: readonly boolean[];
}

/** Paragraphs of lines without an empty one between them. */
function paragraphsOf(block: readonly TextLine[], { width, isWrapped }: Layout): readonly Paragraph[] {
  if (!isWrapped) return block.map(({ text }) => ({ lines: [text], breaks: [] }));
  const paragraphs: { lines: string[]; breaks: boolean[] }[] = [];
  const least = Math.min(...block.map(({ indent }) => indent));
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

function asHtml({ lines, breaks }: Paragraph, isGutenberg: boolean, hasNotes: boolean): string {
  let text = lines[0] ?? '';
  for (const [index, line] of lines.slice(1).entries()) {
    const isDivided = /\p{L}-$/u.test(text) && /^\p{Ll}/u.test(line);
    text += (breaks[index] === true ? '\n' : isDivided || isSpaceless(text) ? '' : ' ') + line;
  }
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

/** Whether no space stands between lines, by the end of the first. */
const isSpaceless = (text: string): boolean => {
  const last = [...text.slice(-2)].at(-1);
  return isUnspaced(last) || /[、。，！？；：」』]/u.test(last ?? '');
};

/** Without what stands at the edges of pages, which form feeds part: running heads and numbers. */
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
