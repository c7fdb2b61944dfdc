/** Rich Text Format: chapters by the styles and outline levels of its paragraphs. */
import { SvcError } from '../../errors.ts';
import { sanitizeLine } from '../../messages.ts';
import type { Book, ReadBookOptions } from '../book.ts';
import { type DocumentFile, DocumentLimitError } from '../document-file.ts';
import { countLeftOut, type LeftOutCounter, type LeftOutKind } from '../left-out.ts';
import { htmlBook } from './html-book.ts';
import { decodeBytes, labelOfCharset, labelOfPage, symbolCharset } from './rtf-fonts.ts';
import { type RtfToken, rtfTokens } from './rtf-tokens.ts';
import { escapeHtml } from './xml-to-html.ts';

/** @throws SvcError INVALID_REQUEST */
export async function readRtf({ path, bytes }: DocumentFile, options: ReadBookOptions): Promise<Book> {
  const rtf = bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  if (!/^\s{0,99}\{\\rtf/.test(rtf)) throw new SvcError('INVALID_REQUEST', `${path}: this is not an RTF document`);
  const leftOut = countLeftOut(options.keep);
  const reading = new RtfReading(leftOut);
  for (const token of rtfTokens(rtf)) reading.read(token);
  const { html, title, author, warnings } = reading.end();
  return htmlBook(
    html,
    path,
    options,
    { ...(title ? { title } : {}), author: author || undefined },
    { leftOut, warnings },
  );
}

/** Far more than documents have. */
const mostDepth = 1_000;

/** Where text goes: into the document, what listeners would skip, a table about the document, or nowhere. */
type Place = 'document' | LeftOutKind | 'nothing' | 'fonts' | 'styles' | 'title' | 'author' | 'instruction' | 'class';

interface Group {
  readonly number: number;
  place: Place;
  font: number | undefined;
  isHidden: boolean;
  isDeleted: boolean;
  /** Characters that follow each `\u` for older readers. */
  unicodeSkip: number;
  /** Instruction of the field that begins with this group. */
  field: { instruction: string } | undefined;
  style: number | undefined;
}

interface Paragraph {
  style: number | undefined;
  level: number | undefined;
  isDropCap: boolean;
  isInTable: boolean;
}

interface Piece {
  readonly kind: LeftOutKind | undefined;
  readonly group: number;
  text: string;
}

const places: Readonly<Record<string, Place>> = {
  fonttbl: 'fonts',
  stylesheet: 'styles',
  title: 'title',
  author: 'author',
  fldinst: 'instruction',
  objclass: 'class',
  footnote: 'notes',
  annotation: 'comments',
  shptxt: 'document',
  dptxbxtext: 'document',
  fldrslt: 'document',
  result: 'document',
  ud: 'document',
  ...Object.fromEntries(
    ['header', 'headerl', 'headerr', 'headerf', 'footer', 'footerl', 'footerr', 'footerf'].map(
      (name) => [name, 'page-numbers'] as const,
    ),
  ),
  ...Object.fromEntries(
    `colortbl info pict shppict nonshppict themedata colorschememapping latentstyles datastore listtable listoverridetable rsidtbl
    revtbl generator xmlnstbl bkmkstart bkmkend filetbl listtext pntext pn pnseclvl shpinst do shprslt objdata objname objalias
    objsect atnid atnauthor atntime atnicn atnref atrfstart atrfend xe tc tcn txe rxe upr aftnsep aftnsepc ftnsep ftnsepc aftncn
    ftncn template private1 protusertbl userprops docvar wgrffmtfilter mmathPr formfield datafield hl background factoidname
    picprop blipuid panose falt fname subject operator manager company category keywords comment doccomm hlinkbase creatim revtim
    printim buptim passwordhash htmltag mhtmltag pgdsctbl pgptbl list listoverride listlevel leveltext levelnumbers listname
    fontemb fontfile sn sv sp ebcstart ebcend cchs oldcprops oldpprops oldtprops oldsprops nexctfile password`
      .split(/\s+/)
      .map((name) => [name, 'nothing'] as const),
  ),
};
const characters: Readonly<Record<string, string>> = {
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  tab: ' ',
  zwj: '\u200d',
  zwnj: '\u200c',
  '~': '\u00a0',
  _: '\u2011',
  '\\': '\\',
  '{': '{',
  '}': '}',
};
const leftOutPlaces = new Set<Place>(['notes', 'comments', 'page-numbers', 'contents', 'index', 'hidden']);

class RtfReading {
  readonly #leftOut: LeftOutCounter;
  readonly #html: string[] = [];
  readonly #warnings = new Set<string>();
  readonly #groups: Group[] = [];
  readonly #fonts = new Map<number, string | 'symbols'>();
  readonly #styles = new Map<number, string>();
  #page = 'windows-1252';
  #count = 0;
  #bytes: number[] = [];
  #skip = 0;
  #isIgnorable = false;
  #pieces: Piece[] = [];
  #cells: string[] = [];
  #paragraph: Paragraph = { style: undefined, level: undefined, isDropCap: false, isInTable: false };
  /** States of the groups around the open one. */
  readonly #outer: Paragraph[] = [];
  /** State that a paragraph which continues behind a group leaves to the next one. */
  #next: Paragraph | undefined;
  #dropCap: Piece[] = [];
  #title = '';
  #author = '';
  #class = '';
  #styleName = '';
  #math = '';

  constructor(leftOut: LeftOutCounter) {
    this.#leftOut = leftOut;
  }

  read(token: RtfToken): void {
    if (token.kind === 'byte' || token.kind === 'text') {
      this.#isIgnorable = false;
      if (token.kind === 'byte') this.#addByte(token.byte);
      else for (let at = 0; at < token.text.length; at += 1) this.#addByte(token.text.charCodeAt(at));
      return;
    }
    this.#flush();
    if (token.kind === 'open') this.#open();
    else if (token.kind === 'close') this.#close();
    else this.#control(token.word, token.value);
  }

  end() {
    this.#flush();
    this.#endParagraph();
    this.#endRow();
    return {
      html: this.#html.join('\n'),
      title: sanitizeLine(this.#title),
      author: sanitizeLine(this.#author),
      warnings: [...this.#warnings],
    };
  }

  get #group(): Group {
    const outer: Group = {
      number: 0,
      place: 'nothing',
      font: undefined,
      isHidden: false,
      isDeleted: false,
      unicodeSkip: 1,
      field: undefined,
      style: undefined,
    };
    return this.#groups.at(-1) ?? outer;
  }

  #open(): void {
    if (this.#groups.length >= mostDepth) throw new DocumentLimitError('groups are nested too deeply');
    const parent = this.#groups.at(-1);
    this.#outer.push({ ...this.#paragraph });
    this.#count += 1;
    this.#groups.push(
      parent === undefined
        ? { ...this.#group, number: this.#count, place: 'document' }
        : { ...parent, number: parent.place === 'document' ? this.#count : parent.number },
    );
    this.#skip = 0;
    this.#isIgnorable = false;
  }

  #close(): void {
    const group = this.#groups.pop();
    const outer = this.#outer.pop();
    const parent = this.#groups.at(-1);
    this.#skip = 0;
    this.#isIgnorable = false;
    if (group === undefined) return;
    if (this.#pieces.length > 0) this.#next = outer;
    else if (outer !== undefined) this.#paragraph = outer;
    if (group.place === 'styles' && parent?.place === 'styles') {
      const number = group.style ?? 0;
      if (this.#styleName !== '') this.#styles.set(number, this.#styleName.split(';')[0]?.trim() ?? '');
      this.#styleName = '';
    }
    if (group.place === 'formulas' && parent?.place !== 'formulas') this.#endFormula(parent);
    if (group.place === 'class') {
      if (/^Equation\b/i.test(this.#class.trim())) this.#leftOut.count('formulas');
      this.#class = '';
    }
    // The end of the document; what follows is none of it.
    if (parent === undefined) this.#endParagraph();
  }

  #control(word: string, value: number | undefined): void {
    const group = this.#group;
    const isIgnorable = this.#isIgnorable;
    this.#isIgnorable = word === '*';
    if (word === '*') return;
    if (this.#enter(word, isIgnorable)) return;
    if (word === 'u' && value !== undefined) {
      this.#say(String.fromCharCode(value < 0 ? value + 65_536 : value));
      this.#skip = group.unicodeSkip;
      return;
    }
    // A control word counts as one character of the fallback.
    if (this.#skip > 0 && (characters[word] !== undefined || word.length === 1)) {
      this.#skip -= 1;
      return;
    }
    const character = characters[word];
    if (character !== undefined) this.#say(character);
    else this.#format(word, value ?? 1, value);
  }

  /** @returns whether the word begins a place for text */
  #enter(word: string, isIgnorable: boolean): boolean {
    const group = this.#group;
    if (word === 'field') {
      group.field = { instruction: '' };
      return true;
    }
    if (/^mo?Math(?:Para)?$/.test(word)) {
      if (group.place === 'document') group.place = 'formulas';
      return true;
    }
    const known = Object.hasOwn(places, word) ? places[word] : undefined;
    const place = known ?? (isIgnorable ? 'nothing' : undefined);
    if (place === undefined || group.place === 'formulas') return isIgnorable;
    // Tables within what is dropped, such as a header inside of a note, stay dropped; text of a shape or a result is read.
    const reopens = /^(?:shptxt|dptxbxtext|ud)$/.test(word);
    const isOuter = this.#groups.some((outer) => leftOutPlaces.has(outer.place) && outer !== group);
    if (group.place === 'nothing' && !reopens && place !== 'title' && place !== 'author' && place !== 'class')
      return true;
    if (reopens && isOuter) return true;
    if (word === 'fldrslt') {
      const field = this.#groups.findLast((outer) => outer.field !== undefined)?.field;
      const kind = /^\s*(?:TOC|TOA|RD)\b/i.test(field?.instruction ?? '')
        ? 'contents'
        : /^\s*INDEX\b/i.test(field?.instruction ?? '')
          ? 'index'
          : undefined;
      if (group.place === 'instruction') group.place = 'document';
      if (kind !== undefined && group.place === 'document') group.place = kind;
      return true;
    }
    if (place === 'document' && !reopens) return true;
    group.place = place;
    if (place === 'instruction') group.field = this.#groups.findLast((outer) => outer.field !== undefined)?.field;
    if (place === 'class') this.#class = '';
    if (reopens && group.place === 'document') this.#say(' ');
    return true;
  }

  /** @param number of the word; 1 without one */
  #format(word: string, number: number, value: number | undefined): void {
    const group = this.#group;
    const isOn = value !== 0;
    switch (word) {
      case 'ansicpg':
        this.#page = labelOfPage(number);
        return;
      case 'mac':
        this.#page = 'macintosh';
        return;
      case 'uc':
        group.unicodeSkip = Math.max(0, Math.min(10, number));
        return;
      case 'f':
        group.font = number;
        return;
      case 'fcharset':
        if (group.place === 'fonts' && group.font !== undefined) {
          const label = number === symbolCharset ? 'symbols' : labelOfCharset(number);
          if (label !== undefined) this.#fonts.set(group.font, label);
        }
        return;
      case 'cpg':
        if (group.place === 'fonts' && group.font !== undefined) this.#fonts.set(group.font, labelOfPage(number));
        return;
      case 'v':
        group.isHidden = isOn;
        return;
      case 'deleted':
        group.isDeleted = isOn;
        return;
      case 'plain':
        group.isHidden = group.isDeleted = false;
        group.font = undefined;
        return;
      case 's':
      case 'cs':
      case 'ds':
      case 'ts':
        if (group.place === 'styles') group.style = word === 's' ? number : 1e6 + number;
        else if (word === 's' && group.place === 'document') this.#paragraph.style = number;
        return;
      default:
        if (group.place === 'document') this.#structure(word, number);
        else if (leftOutPlaces.has(group.place) && /^(?:par|line|cell|row|page|sect)$/.test(word)) this.#say(' ');
    }
  }

  #structure(word: string, number: number): void {
    switch (word) {
      case 'pard':
        this.#next = undefined;
        this.#paragraph = { style: undefined, level: undefined, isDropCap: false, isInTable: false };
        return;
      case 'outlinelevel':
        if (number >= 0 && number < 9) this.#paragraph.level = number + 1;
        return;
      case 'dropcapli':
        this.#paragraph.isDropCap = number > 0;
        return;
      case 'intbl':
        this.#paragraph.isInTable = true;
        return;
      case '\n':
      case '\r':
      case 'par':
      case 'sect':
        this.#endParagraph();
        if (this.#next !== undefined) this.#paragraph = this.#next;
        this.#next = undefined;
        return;
      case 'line':
      case 'lbr':
      case 'softline':
      case 'page':
      case 'column':
        this.#pieces.push({ kind: undefined, group: -1, text: '\n' });
        return;
      case 'cell':
      case 'nestcell':
        this.#endCell();
        return;
      case 'row':
      case 'nestrow':
        this.#endRow();
        return;
      default:
    }
  }

  #addByte(byte: number): void {
    if (this.#skip > 0) {
      this.#skip -= 1;
      return;
    }
    this.#bytes.push(byte);
  }

  /** Bytes of one font are one text: a character may have two. */
  #flush(): void {
    if (this.#bytes.length === 0) return;
    const bytes = this.#bytes;
    this.#bytes = [];
    const font = this.#fonts.get(this.#group.font ?? -1);
    if (font === 'symbols' && this.#group.place !== 'fonts') {
      if (bytes.some((byte) => byte !== 0x20)) this.#say(' ');
      return;
    }
    this.#say(decodeBytes(bytes, font === undefined || font === 'symbols' ? this.#page : font));
  }

  #say(text: string): void {
    const group = this.#group;
    switch (group.place) {
      case 'nothing':
      case 'fonts':
        return;
      case 'styles':
        this.#styleName += text;
        return;
      case 'title':
        this.#title += text;
        return;
      case 'author':
        this.#author += text;
        return;
      case 'class':
        this.#class += text;
        return;
      case 'instruction':
        if (group.field !== undefined) group.field.instruction += text;
        return;
      case 'formulas':
        this.#math += text;
        return;
      default:
        this.#write(text, group.place === 'document' ? undefined : group.place, group);
    }
  }

  #write(text: string, stated: LeftOutKind | undefined, group: Group): void {
    const kind = stated ?? (group.isDeleted ? 'changes' : group.isHidden ? 'hidden' : undefined);
    const last = this.#pieces.at(-1);
    if (
      last !== undefined &&
      last.kind === kind &&
      (kind === undefined || last.group === group.number) &&
      last.group !== -1
    )
      last.text += text;
    else this.#pieces.push({ kind, group: group.number, text });
  }

  #endFormula(parent: Group | undefined): void {
    const words = this.#math.trim();
    this.#math = '';
    if (words === '' || parent === undefined) return;
    this.#leftOut.count('formulas', words, this.#pieces.at(-1)?.text.slice(-24));
  }

  #endParagraph(): void {
    const pieces = [...this.#dropCap, ...this.#pieces];
    this.#pieces = [];
    this.#dropCap = [];
    if (this.#paragraph.isDropCap && pieces.some(({ text }) => text.trim() !== '')) {
      this.#dropCap = pieces;
      this.#paragraph.isDropCap = false;
      return;
    }
    const html = htmlOf(pieces);
    if (html === '') return;
    if (this.#paragraph.isInTable) {
      this.#cells[Math.max(0, this.#cells.length - 1)] = `${this.#cells.at(-1) ?? ''}<p>${html}</p>`;
      return;
    }
    this.#endRow();
    const { style, level } = this.#paragraph;
    const name = this.#styles.get(style ?? 0) ?? '';
    const [, heading] =
      /^(?:heading|überschrift|titre|título|titolo|заголовок|标题|見出し|제목)\s?([1-9])$/iu.exec(name) ?? [];
    const matter = /^(?:toc \d|toc heading|table of (?:figures|authorities))$/i.test(name)
      ? 'contents'
      : /^index (?:\d|heading)$/i.test(name)
        ? 'index'
        : undefined;
    const depth = heading === undefined ? level : Number(heading);
    const tag = depth === undefined ? 'p' : `h${Math.min(6, depth)}`;
    this.#html.push(`<${tag}${matter === undefined ? '' : ` data-left-out="${matter}"`}>${html}</${tag}>`);
  }

  #endCell(): void {
    const html = htmlOf(this.#pieces);
    this.#pieces = [];
    if (this.#cells.length === 0) this.#cells.push('');
    this.#cells[this.#cells.length - 1] += html;
    this.#cells.push('');
  }

  #endRow(): void {
    const cells = this.#cells;
    this.#cells = [];
    if (cells.some((cell) => cell !== ''))
      this.#html.push(
        `<table><tr>${cells.map((cell) => (cell === '' ? '' : `<td>${cell}</td>`)).join('')}</tr></table>`,
      );
  }
}

function htmlOf(pieces: readonly Piece[]): string {
  if (pieces.every(({ text }) => text.trim() === '')) return '';
  return pieces
    .map(({ kind, text }) => {
      if (text === '\n') return '<br>';
      return kind === undefined ? escapeHtml(text) : `<span data-left-out="${kind}">${escapeHtml(text)}</span>`;
    })
    .join('');
}
