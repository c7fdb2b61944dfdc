/** Rich Text Format: chapters by the styles and outline levels of its paragraphs. */
import { spokenAlternative } from '../../engine/script/alternatives.ts';
import { decodeBytes } from '../../files/decode-bytes.ts';
import { sanitizeLine } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import { meaningOf } from '../../word-lists.ts';
import type { Book, ReadBookOptions } from '../book.ts';
import { type DocumentFile, DocumentLimitError } from '../document-file.ts';
import { countLeftOut, type LeftOutCounter, type LeftOutKind } from '../left-out.ts';
import { htmlBook } from './html-book.ts';
import { labelOfCharset, labelOfPage, symbolCharset } from './rtf-fonts.ts';
import { RtfParagraphs } from './rtf-paragraphs.ts';
import {
  type Collecting,
  characters,
  collecting,
  duplicates,
  isCollecting,
  leftOutPlaces,
  type Place,
  places,
  readAnywhere,
} from './rtf-places.ts';
import { type RtfToken, rtfTokens } from './rtf-tokens.ts';
import { fieldKind, fieldWords } from './word-fields.ts';

/** @throws SvcError INVALID_REQUEST */
export async function readRtf({ path, bytes }: DocumentFile, options: ReadBookOptions): Promise<Book> {
  const rtf = bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  if (!/^\s{0,99}\{\\rtf/.test(rtf)) throw requestError(`${path}: this is not an RTF document`);
  const leftOut = countLeftOut(options.keep);
  const reading = new RtfReading(leftOut);
  for (const token of rtfTokens(rtf)) reading.read(token);
  const { html, title, author } = reading.end();
  return htmlBook(html, path, options, { title: title || undefined, author: author || undefined }, { leftOut });
}

/** A field that leads to a place of the document. */
const linkInside = /^\s{0,9}HYPERLINK\s{1,9}(?:"#|\\{1,2}l\s)/i;

/** Far more than documents have. */
const mostDepth = 1_000;

interface Field {
  instruction: string;
  /** Entries of a list to choose from, and which is chosen. */
  readonly entries: string[];
  choice: number;
  /** Characters of the document before it. */
  readonly written: number;
}

interface Group {
  readonly number: number;
  place: Place;
  font: number | undefined;
  isHidden: boolean;
  isDeleted: boolean;
  isRaised: boolean;
  /** Whether it is in the document already. */
  isDuplicate: boolean;
  /** Characters that follow each `\u` for older readers. */
  unicodeSkip: number;
  /** Instruction of the field that begins with this group. */
  field: Field | undefined;
  style: number | undefined;
}

/** Formatting of text in front of the document and behind it. */
const outside: Group = {
  ...{ number: 0, place: 'nothing', font: undefined, style: undefined, field: undefined, unicodeSkip: 1 },
  ...{ isHidden: false, isDeleted: false, isRaised: false, isDuplicate: false },
};

/** Ends of paragraphs, lines, cells and rows by their control words. */
const ends: ReadonlyMap<string, 'reset' | 'next' | 'breakLine' | 'endCell' | 'endRow'> = new Map([
  ...meaningOf({
    reset: 'pard',
    next: 'par sect',
    breakLine: 'line lbr softline page column',
    endCell: 'cell nestcell',
    endRow: 'row nestrow',
  }),
  ['\n', 'next'],
  ['\r', 'next'],
]);

class RtfReading {
  readonly #leftOut: LeftOutCounter;
  readonly #groups: Group[] = [];
  readonly #fonts = new Map<number, string | 'symbols'>();
  readonly #styles = new Map<number, string>();
  #page = 'windows-1252';
  #count = 0;
  #bytes: number[] = [];
  #skip = 0;
  #isIgnorable = false;
  readonly #paragraphs = new RtfParagraphs((style) => this.#styles.get(style));
  readonly #collected = Object.fromEntries(collecting.map((place) => [place, ''])) as Record<Collecting, string>;
  /** Characters that were written to the document. */
  #written = 0;

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
    this.#paragraphs.endParagraph();
    this.#paragraphs.endRow();
    const { title, author } = this.#collected;
    return { html: this.#paragraphs.html, title: sanitizeLine(title), author: sanitizeLine(author) };
  }

  get #group(): Group {
    return this.#groups.at(-1) ?? { ...outside };
  }

  #open(): void {
    if (this.#groups.length >= mostDepth) throw new DocumentLimitError('groups are nested too deeply');
    const parent = this.#groups.at(-1);
    this.#paragraphs.openGroup();
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
    const parent = this.#groups.at(-1);
    this.#skip = 0;
    this.#isIgnorable = false;
    if (group === undefined) return;
    this.#paragraphs.closeGroup();
    if (group.place === 'styles' && parent?.place === 'styles') {
      const name = this.#taken('styles');
      if (name !== '') this.#styles.set(group.style ?? 0, name.split(';')[0]?.trim() ?? '');
    }
    if (group.place === 'formulas' && parent?.place !== 'formulas') this.#endFormula(parent);
    if (group.place === 'class' && /^Equation\b/i.test(this.#taken('class').trim())) this.#leftOut.count('formulas');
    if (group.place === 'value' && parent?.place !== 'value') this.#endProperty(group);
    if (group.place === 'entry' && parent?.place !== 'entry') {
      const entry = this.#taken('entry');
      group.field?.entries.push(entry);
    }
    if (group.field !== undefined && group.field !== parent?.field) this.#endField(group.field, group);
    // The end of the document; what follows is none of it.
    if (parent === undefined) this.#paragraphs.endParagraph();
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
    if (this.#skip > 0 && (characters.has(word) || word.length === 1)) {
      this.#skip -= 1;
      return;
    }
    const character = characters.get(word);
    if (character !== undefined) this.#say(character);
    else this.#format(word, value ?? 1, value);
  }

  /** @returns whether the word begins a place for text */
  #enter(word: string, isIgnorable: boolean): boolean {
    const group = this.#group;
    if (word === 'field') {
      group.field = { instruction: '', entries: [], choice: 0, written: this.#written };
      return true;
    }
    if (/^mo?Math(?:Para)?$/.test(word)) {
      if (group.place === 'document') group.place = 'formulas';
      return true;
    }
    if (duplicates.has(word)) group.isDuplicate = true;
    const place = places.get(word) ?? (isIgnorable ? 'nothing' : undefined);
    if (place === undefined || group.place === 'formulas') return isIgnorable;
    // Tables within what is dropped, such as a header inside of a note, stay dropped; text of a shape or a result is read.
    const reopens = /^(?:shptxt|dptxbxtext|ud)$/.test(word);
    const isOuter = this.#groups.some((outer) => leftOutPlaces.has(outer.place) && outer !== group);
    if (group.place === 'nothing' && !reopens && !readAnywhere.has(place)) return true;
    if (reopens && (isOuter || group.isDuplicate)) return true;
    if (word === 'fldrslt') {
      const field = this.#groups.findLast((outer) => outer.field !== undefined)?.field;
      const kind = fieldKind(field?.instruction ?? '');
      if (group.place === 'instruction') group.place = 'document';
      if (kind !== undefined && group.place === 'document') group.place = kind;
      return true;
    }
    if (place === 'document' && !reopens) return true;
    group.place = place;
    if (place === 'instruction') group.field = this.#groups.findLast((outer) => outer.field !== undefined)?.field;
    if (place === 'class' || place === 'property' || place === 'value') this.#taken(place);
    if (reopens && group.place === 'document') this.#say(' ');
    return true;
  }

  /** @param number of the word; 1 without one */
  #format(word: string, number: number, value: number | undefined): void {
    const group = this.#group;
    const isOn = value !== 0;
    if (word === 'ansicpg') this.#page = labelOfPage(number);
    else if (word === 'mac') this.#page = 'macintosh';
    else if (word === 'uc') group.unicodeSkip = Math.max(0, Math.min(10, number));
    else if (word === 'f') group.font = number;
    else if (word === 'fcharset') this.#setFont(group, number === symbolCharset ? 'symbols' : labelOfCharset(number));
    else if (word === 'cpg') this.#setFont(group, labelOfPage(number));
    else if (word === 'v') group.isHidden = isOn;
    else if (word === 'deleted' || word === 'mvf') group.isDeleted = isOn;
    else if (word === 'super') group.isRaised = isOn;
    else if (word === 'sub' || word === 'nosupersub') group.isRaised = false;
    else if (word === 'ffres' || word === 'ffdefres') {
      // 25 is the default, which is stated too.
      if (group.field !== undefined && number !== 25) group.field.choice = number;
    } else if (word === 'plain') {
      group.isHidden = group.isDeleted = group.isRaised = false;
      group.font = undefined;
    } else if (/^(?:s|[cdt]s)$/.test(word)) {
      if (group.place === 'styles') group.style = word === 's' ? number : 1e6 + number;
      else if (word === 's' && group.place === 'document') this.#paragraphs.set({ style: number });
    } else if (group.place === 'document') this.#structure(word, number);
    else if (leftOutPlaces.has(group.place) && /^(?:par|line|cell|row|page|sect)$/.test(word)) this.#say(' ');
  }

  #setFont({ place, font }: Group, label: string | undefined): void {
    if (place === 'fonts' && font !== undefined && label !== undefined) this.#fonts.set(font, label);
  }

  #structure(word: string, number: number): void {
    const end = ends.get(word);
    if (end !== undefined) this.#paragraphs[end]();
    else if (word === 'outlinelevel' && number >= 0 && number < 9) this.#paragraphs.set({ level: number + 1 });
    else if (word === 'dropcapli') this.#paragraphs.set({ isDropCap: number > 0 });
    else if (word === 'intbl') this.#paragraphs.set({ isInTable: true });
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
    this.#say(decodeBytes(Uint8Array.from(bytes), font === undefined || font === 'symbols' ? this.#page : font));
  }

  #say(text: string): void {
    const group = this.#group;
    const { place, field } = group;
    if (place === 'nothing' || place === 'fonts') return;
    if (isCollecting(place)) this.#collected[place] += text;
    else if (place !== 'instruction') this.#write(text, place === 'document' ? undefined : place, group);
    else if (field !== undefined) field.instruction += text;
  }

  /** The text that was collected, which begins anew. */
  #taken(place: Collecting): string {
    const text = this.#collected[place];
    this.#collected[place] = '';
    return text;
  }

  #write(text: string, stated: LeftOutKind | undefined, group: Group): void {
    this.#written += text.length;
    const kind = stated ?? (group.isDeleted ? 'changes' : group.isHidden ? 'hidden' : undefined);
    const isLinked = linkInside.test(group.field?.instruction ?? '');
    this.#paragraphs.write(text, { kind, group: group.number, isRaised: group.isRaised, isLinked });
  }

  /** Text that is no text of a group: in the document, or in what is left out around it. */
  #writeBeside(text: string, group: Group): void {
    const around = this.#groups.find(({ place }) => leftOutPlaces.has(place))?.place as LeftOutKind | undefined;
    this.#write(text, around, group);
  }

  /** A property of a shape or picture: its description, or the letters that it is made of. */
  #endProperty(group: Group): void {
    const [name, value] = [this.#taken('property').trim(), this.#taken('value').trim()];
    if (value === '' || group.isDuplicate) return;
    if (name === 'gtextUNICODE') this.#writeBeside(` ${value} `, group);
    if (name !== 'wzDescription') return;
    const said = this.#leftOut.leaves('pictures') ? spokenAlternative(value) : value;
    if (said === undefined) this.#leftOut.count('pictures', value);
    else this.#writeBeside(` ${said} `, group);
  }

  /** A field without a result may show what its instruction or its entries say. */
  #endField(field: Field, group: Group): void {
    if (field.written !== this.#written || group.place !== 'document') return;
    const words = fieldWords(field, this.#leftOut);
    if (words !== undefined) this.#write(words, undefined, group);
  }

  #endFormula(parent: Group | undefined): void {
    const words = this.#taken('formulas').trim();
    if (words !== '' && parent !== undefined) this.#leftOut.count('formulas', words, this.#paragraphs.tail);
  }
}
