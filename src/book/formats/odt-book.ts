/** OpenDocument texts: chapters by their headings. */
import { requestError } from '../../validation.ts';
import { meaningOf } from '../../word-lists.ts';
import type { Book, ReadBookOptions } from '../book.ts';
import { decodePage } from '../decode-page.ts';
import { type DocumentFile, DocumentLimitError } from '../document-file.ts';
import { type Archive, openArchive } from '../epub/archive.ts';
import { countLeftOut, type LeftOutCounter } from '../left-out.ts';
import { readMarkup, visitXml } from '../markup.ts';
import { detailsOf } from './docx-book.ts';
import { htmlBook } from './html-book.ts';
import { type OdtStyles, readOdtStyles } from './odt-styles.ts';
import { escapeHtml, type Mapping, xmlToHtml } from './xml-to-html.ts';

/** As OpenDocument 1.3, chapters 5 to 7 and 10, has them. */
const elements = meaningOf({
  '<p>': 'text:p',
  '<li>': 'text:list-item text:list-header',
  '<tr>': 'table:table-row',
  '<td>': 'table:table-cell',
  '<td data-left-out="hidden">': 'table:covered-table-cell',
  '<br>': 'text:line-break',
  '<i> ': 'text:soft-page-break text:s text:tab',
  '<span class="footnote">': 'text:note',
  '<ruby>': 'text:ruby',
  '<rt>': 'text:ruby-text',
  '<div role="doc-toc">':
    'text:table-of-content text:illustration-index text:table-index text:object-index text:user-index',
  '<div role="doc-index">': 'text:alphabetical-index',
  '<span data-left-out="forms">': 'text:placeholder',
  '<div>': 'draw:text-box',
  '<div data-left-out="changes">': 'text:tracked-changes',
  '<span data-left-out="comments">': 'office:annotation',
  '<div data-left-out="forms">': 'office:forms',
  '<div data-left-out="notes">': 'presentation:notes',
});
/** Elements that may be hidden; others are spans. */
const hiddenAs: Readonly<Record<string, string>> = { 'text:section': 'div', 'text:p': 'p', 'table:table-row': 'tr' };
/** Elements without words of the text. */
const silent =
  /^(?:office:(?:scripts|font-face-decls|automatic-styles|styles|master-styles|meta|settings)|text:(?:sequence-decls|variable-decls|user-field-decls|dde-connection-decls|script|note-citation|.*-source)|draw:(?:glue-point|param|plugin|applet|image-map)|office:(?:binary-data|event-listeners|dde-source)|meta:.*)$/;
const aboutChanges = /^(?:dc:(?:creator|date)|meta:.*|office:change-info)$/;

/** @throws SvcError INVALID_REQUEST */
export async function readOdt(file: DocumentFile, options: ReadBookOptions): Promise<Book> {
  const archive = await openArchive(file, 'ODT');
  if (!archive.has('content.xml')) throw requestError(`${file.path}: this is not an OpenDocument text`);
  const leftOut = countLeftOut(options.keep);
  const content = decodePage(await archive.read('content.xml'));
  if (/<office:(?:spreadsheet|presentation|drawing|chart)[\s>]/.test(content))
    throw requestError(`${file.path}: this OpenDocument file is no text; save it as .odt, or a table as CSV`);
  const sheet = archive.has('styles.xml') ? decodePage(await archive.read('styles.xml')) : '';
  const map = mapping(readOdtStyles([sheet, content]), {
    hidden: hiddenParagraphs(content),
    alternatives: alternativesIn(content),
    formulas: await formulasOf(archive, leftOut),
  });
  const heads = headersIn(sheet);
  if (leftOut.leaves('page-numbers')) for (const words of heads) leftOut.count('page-numbers', words);
  const before = leftOut.leaves('page-numbers') ? [] : heads.map((words) => `<p>${escapeHtml(words)}</p>`);
  const html = before.join('') + xmlToHtml(content, map);
  return htmlBook(html, file.path, options, await detailsOf(archive, 'meta.xml'), { leftOut });
}

interface Contents {
  readonly hidden: ReadonlySet<number>;
  readonly alternatives: readonly string[];
  readonly formulas: ReadonlyMap<string, string>;
}

function mapping({ isHidden, isRaised }: OdtStyles, { hidden, alternatives, formulas }: Contents): Mapping {
  let paragraph = -1;
  let characters = 0;
  let alternative = -1;
  return (name, attributes, parents) => {
    const isParagraph = name === 'text:p' || name === 'text:h';
    if (isParagraph) paragraph += 1;
    if (silent.test(name) || (aboutChanges.test(name) && parents.some((parent) => /annotation|change/.test(parent))))
      return undefined;
    const hides =
      (isParagraph && hidden.has(paragraph)) ||
      (name === 'text:section' && (attributes['text:display'] === 'none' || attributes['text:is-hidden'] === 'true')) ||
      (name === 'table:table-row' && /^(?:collapse|filter)$/.test(attributes['table:visibility'] ?? '')) ||
      (name === 'text:hidden-text' && attributes['text:is-hidden'] !== 'false') ||
      (/^text:(?:p|h|span|a)$/.test(name) && isHidden(attributes['text:style-name']));
    const mark = hides ? ' data-left-out="hidden"' : '';
    if (name === 'text:h')
      return `<h${Math.min(6, Math.max(1, Number(attributes['text:outline-level']) || 1))}${mark}>`;
    if (hides) return `<${hiddenAs[name] ?? 'span'}${mark}>`;
    if (name === 'svg:title' || name === 'svg:desc') {
      const words = (alternatives[++alternative] ?? '').trim();
      return { content: byProgram.test(words) ? '' : `<figcaption><img alt="${escapeHtml(words)}"></figcaption>` };
    }
    if (name === 'text:span' && isRaised(attributes['text:style-name'])) return '<sup>';
    if (name === 'draw:object') {
      const formula = formulas.get((attributes['xlink:href'] ?? '').replace(/^\.\//, ''));
      characters += formula?.length ?? 0;
      if (characters > mostFormulas)
        throw new DocumentLimitError(`its formulas are larger than ${mostFormulas / 1e6} MB`);
      return formula === undefined ? '' : { content: formula };
    }
    return elements.get(name) ?? '';
  };
}

/** Descriptions that LibreOffice gives to what nobody has described. */
const byProgram = /^(?:formula|OLE-object|object ?\d{0,4})?$/i;

/** The titles and descriptions of pictures and shapes, in the order of the document. */
function alternativesIn(content: string): readonly string[] {
  const found: string[] = [];
  let depth = 0;
  let words: string | undefined;
  readMarkup(content, 'xml', {
    open(name) {
      if (silent.test(name)) depth += 1;
      else if (depth === 0 && (name === 'svg:title' || name === 'svg:desc')) words = '';
    },
    text(text) {
      if (words !== undefined) words += text;
    },
    close(name) {
      if (silent.test(name)) depth -= 1;
      if (words !== undefined && (name === 'svg:title' || name === 'svg:desc')) {
        found.push(words);
        words = undefined;
      }
    },
  });
  return found;
}

/** Numbers of the paragraphs that a field in them hides. */
function hiddenParagraphs(content: string): ReadonlySet<number> {
  const hidden = new Set<number>();
  if (!content.includes('hidden-paragraph')) return hidden;
  let last = -1;
  const open: number[] = [];
  readMarkup(content, 'xml', {
    open(name, attributes) {
      if (name === 'text:p' || name === 'text:h') open.push(++last);
      if (name === 'text:hidden-paragraph' && attributes['text:is-hidden'] !== 'false') hidden.add(open.at(-1) ?? -1);
    },
    close(name) {
      if (name === 'text:p' || name === 'text:h') open.pop();
    },
  });
  return hidden;
}

const mostObjects = 10_000;
/** Characters of all formulas; each may be shown any number of times. */
const mostFormulas = 8_000_000;

/** MathML of embedded formulas by the names of their folders; words of other objects are counted. */
async function formulasOf(archive: Archive, leftOut: LeftOutCounter): Promise<ReadonlyMap<string, string>> {
  const formulas = new Map<string, string>();
  for (const name of archive.names.slice(0, mostObjects)) {
    const [, folder] = /^([^/]{1,200})\/content\.xml$/.exec(name) ?? [];
    if (folder === undefined) continue;
    const xml = decodePage(await archive.read(name));
    const math = xml.search(/<(?:\w{1,20}:)?math[\s>]/);
    if (math !== -1 && !xml.includes('office:document-content')) {
      formulas.set(folder, xml.slice(math));
      continue;
    }
    let words = '';
    visitXml(xml, {
      text: (text) => {
        if (words.length < 200) words += ` ${text.trim()}`;
      },
    });
    if (/\p{L}/u.test(words)) leftOut.count('embedded', words);
  }
  return formulas;
}

/** Running heads and feet, each once. */
function headersIn(sheet: string): readonly string[] {
  const found = new Set<string>();
  let depth = 0;
  let words = '';
  visitXml(sheet, {
    open: (name) => {
      if (/^(?:header|footer)(?:-left|-first)?$/.test(name)) depth += 1;
    },
    text: (text) => {
      if (depth > 0) words += text;
    },
    close: (name) => {
      if (!/^(?:header|footer)(?:-left|-first)?$/.test(name)) return;
      depth -= 1;
      if (/[\p{L}\p{N}]/u.test(words)) found.add(words.replace(/\s+/gu, ' ').trim());
      words = '';
    },
  });
  return [...found];
}
