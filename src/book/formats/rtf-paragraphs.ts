/** The paragraphs, tables and their cells of an RTF document as HTML. */
import type { LeftOutKind } from '../left-out.ts';
import { escapeHtml } from './xml-to-html.ts';

/** Properties of a paragraph, which the next one inherits. */
interface Paragraph {
  readonly style: number | undefined;
  readonly level: number | undefined;
  readonly isDropCap: boolean;
  readonly isInTable: boolean;
}

const plain: Paragraph = { style: undefined, level: undefined, isDropCap: false, isInTable: false };

interface Piece {
  /** Kind of what is left out. */
  readonly kind: LeftOutKind | undefined;
  readonly group: number;
  readonly isRaised: boolean;
  /** Whether it is a link to a place of the document. */
  readonly isLinked: boolean;
  text: string;
}

/** Group of line breaks, to which nothing is added. */
const noGroup = -1;

/** Collects text into paragraphs, and these into rows. */
export class RtfParagraphs {
  readonly #html: string[] = [];
  #pieces: Piece[] = [];
  #cells: string[] = [];
  #paragraph = plain;
  /** States of the groups around the open one. */
  readonly #outer: Paragraph[] = [];
  /** State that a paragraph which continues behind a group leaves to the next one. */
  #next: Paragraph | undefined;
  #dropCap: Piece[] = [];
  readonly #nameOf: (style: number) => string | undefined;

  /** @param nameOf the name of a style by its number */
  constructor(nameOf: (style: number) => string | undefined) {
    this.#nameOf = nameOf;
  }

  get html(): string {
    return this.#html.join('\n');
  }

  /** The last words of the paragraph. */
  get tail(): string | undefined {
    return this.#pieces.at(-1)?.text.slice(-24);
  }

  openGroup(): void {
    this.#outer.push(this.#paragraph);
  }

  closeGroup(): void {
    const outer = this.#outer.pop();
    if (this.#pieces.length > 0) this.#next = outer;
    else if (outer !== undefined) this.#paragraph = outer;
  }

  set(properties: Partial<Paragraph>): void {
    this.#paragraph = { ...this.#paragraph, ...properties };
  }

  reset(): void {
    this.#next = undefined;
    this.#paragraph = plain;
  }

  breakLine(): void {
    this.#pieces.push({ kind: undefined, group: noGroup, isRaised: false, isLinked: false, text: '\n' });
  }

  write(text: string, { kind, group, isRaised, isLinked }: Omit<Piece, 'text'>): void {
    const last = this.#pieces.at(-1);
    const isSame =
      last !== undefined &&
      last.kind === kind &&
      last.isRaised === isRaised &&
      last.isLinked === isLinked &&
      (kind === undefined || last.group === group) &&
      last.group !== noGroup;
    if (isSame) last.text += text;
    else this.#pieces.push({ kind, group, isRaised, isLinked, text });
  }

  /** Ends the paragraph; the next one has its properties. */
  next(): void {
    this.endParagraph();
    if (this.#next !== undefined) this.#paragraph = this.#next;
    this.#next = undefined;
  }

  endParagraph(): void {
    const pieces = [...this.#dropCap, ...this.#pieces];
    this.#pieces = [];
    this.#dropCap = [];
    if (this.#paragraph.isDropCap && pieces.some(({ text }) => text.trim() !== '')) {
      this.#dropCap = pieces;
      this.set({ isDropCap: false });
      return;
    }
    const html = htmlOf(pieces);
    if (html === '') return;
    if (this.#paragraph.isInTable) {
      this.#cells[Math.max(0, this.#cells.length - 1)] = `${this.#cells.at(-1) ?? ''}<p>${html}</p>`;
      return;
    }
    this.endRow();
    const { style, level } = this.#paragraph;
    const name = this.#nameOf(style ?? 0) ?? '';
    const [, heading] =
      /^(?:heading|überschrift|titre|título|titolo|заголовок|标题|見出し|제목)\s?([1-9])$/iu.exec(name) ?? [];
    const matter = /^(?:(?:toc|contents) (?:\d{1,2}|heading)|table of (?:figures|authorities))$/i.test(name)
      ? 'contents'
      : /^index (?:\d|heading)$/i.test(name)
        ? 'index'
        : undefined;
    const depth = heading === undefined ? level : Number(heading);
    const tag = depth === undefined ? 'p' : `h${Math.min(6, depth)}`;
    this.#html.push(`<${tag}${matter === undefined ? '' : ` data-left-out="${matter}"`}>${html}</${tag}>`);
  }

  endCell(): void {
    const html = htmlOf(this.#pieces);
    this.#pieces = [];
    if (this.#cells.length === 0) this.#cells.push('');
    this.#cells[this.#cells.length - 1] += html;
    this.#cells.push('');
  }

  endRow(): void {
    const cells = this.#cells;
    this.#cells = [];
    const row = cells.map((cell) => (cell === '' ? '' : `<td>${cell}</td>`)).join('');
    if (row !== '') this.#html.push(`<table><tr>${row}</tr></table>`);
  }
}

function htmlOf(pieces: readonly Piece[]): string {
  if (pieces.every(({ text }) => text.trim() === '')) return '';
  return pieces
    .map(({ kind, isRaised, isLinked, text }) => {
      if (text === '\n') return '<br>';
      const html = escapeHtml(text);
      if (kind !== undefined) return `<span data-left-out="${kind}">${html}</span>`;
      const shown = isRaised ? `<sup>${html}</sup>` : html;
      return isLinked ? `<a href="#">${shown}</a>` : shown;
    })
    .join('');
}
