/** Converts a book page (HTML or XHTML) to speakable text. Tolerates the mark-up that books really have. */
import { spokenAlternative } from '../engine/script/alternatives.ts';
import { type Segment, structurePauses } from '../engine/script/passage.ts';
import { HeadingWords, isStyledAsBlock } from './heading-words.ts';
import { countLeftOut, type LeftOutCounter, type LeftOutKind } from './left-out.ts';
import { LinkedLines } from './linked-lines.ts';
import { readMarkup } from './markup.ts';
import { matterOf } from './matter.ts';
import {
  beginsWithMark,
  isBackLink,
  isLinkedMark,
  isPrintedNumber,
  leftOutAs,
  longestMark,
  longestNumber,
  numberedAs,
  raisedAs,
  writtenPage,
} from './note-marks.ts';
import { blocks, headingMark, noteBodies, pauseKinds, silent, silentKinds, wordless } from './page-elements.ts';
import { createFormula, type Formula } from './page-formula.ts';

const longestNote = 20_000;
/** Segments of an element in which its first words are looked for: between them may be any number of pauses. */
const mostLooked = 200;

/** How style sheets show an element; undefined where they say nothing. */
export type Display = (
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
) => 'hidden' | 'block' | 'inline' | undefined;

/** The marks of notes of a book, by page and id of the note. */
export type NoteTargets = Map<string, string>;

export interface PageReading {
  /** Ids of elements whose beginning is a mark of this name. */
  readonly anchors?: ReadonlySet<string> | undefined;
  readonly leftOut?: LeftOutCounter | undefined;
  /** Those of earlier pages; the marks of this one are added. */
  readonly notes?: NoteTargets | undefined;
  /** The place of a reference of the page, such as `notes.xhtml#n1`. */
  readonly place?: ((reference: string) => string) | undefined;
  readonly display?: Display | undefined;
  /** Whether the page may be a picture alone. */
  readonly pages?: 'alone' | undefined;
  /** Whether each heading is a mark. */
  readonly headings?: 'marked' | undefined;
}

interface Open {
  readonly name: string;
  readonly hides: boolean;
  /** Kind of what is hidden. */
  readonly kind: LeftOutKind | undefined;
  /** Number of segments, of characters and the last words before it. */
  readonly start: number;
  readonly length: number;
  readonly before: string;
  readonly numbered: LeftOutKind | undefined;
  readonly reference: string | undefined;
  readonly href: string | undefined;
  /** Mark of a note. */
  note?: string | undefined;
  readonly isBlock: boolean;
  leadsBack?: boolean;
  hasHeading?: boolean;
}

/** @throws DocumentLimitError for elements that are nested too deeply */
export function htmlSegments(html: string, reading: PageReading = {}): readonly Segment[] {
  const page = new Page(reading);
  readMarkup(html, 'xhtml with CDATA', page);
  return page.end();
}

class Page {
  readonly #reading: PageReading;
  readonly #notes: NoteTargets;
  readonly #leftOut: LeftOutCounter;
  readonly #segments: Segment[] = [];
  readonly #open: Open[] = [];
  /** Open elements that may be notes. */
  readonly #bodies: Open[] = [];
  /** How deep inside elements that are not spoken. */
  #hidden = 0;
  #hiddenKind: LeftOutKind | undefined;
  #cells = 0;
  /** Length of what was spoken, with a little for each pause. */
  #length = 0;
  /** The end of what was spoken in this paragraph. */
  #tail = '';
  #raisedDepth = 0;
  /** Number of segments before the last raised element. */
  #raisedStart = -1;
  /** The power that was written last, and where. */
  #power: { readonly at: number; readonly digits: string } | undefined;
  #formula: Formula | undefined;
  #noteFollows = false;
  /** How deep inside elements whose text is no words. */
  #wordlessDepth = 0;
  #heading: HeadingWords | undefined;
  /** Lines that are links to places of the book alone, as in a table of contents. */
  readonly #links = new LinkedLines();
  #linkDepth = 0;
  #lines = 0;
  /** Words of a mark that is left out by its type. */
  #mark = '';
  /** Pictures of the page with their descriptions, and whether anything else is spoken. */
  readonly #pictures: { readonly start: number; readonly text: string }[] = [];
  #hasWords = false;

  constructor(reading: PageReading) {
    this.#reading = reading;
    this.#notes = reading.notes ?? new Map();
    this.#leftOut = reading.leftOut ?? countLeftOut();
  }

  open(given: string, attributes: Readonly<Record<string, string>>): void {
    const name = given.slice(given.indexOf(':') + 1);
    // The alternatives of `epub:switch`; its default is read.
    const isAlternative = given === 'epub:case';
    const shown = this.#reading.display?.(name, attributes);
    const isOpenDialog = name === 'dialog' && attributes.open !== undefined;
    const byName = isOpenDialog ? undefined : silentKinds.get(name);
    let kind =
      leftOutAs(attributes) ?? byName ?? (shown === 'hidden' ? 'hidden' : isAlternative ? 'embedded' : undefined);
    if (this.#noteFollows && name === 'dd') kind = 'notes';
    if (name !== 'dd' && blocks.has(name)) this.#noteFollows = false;
    const isKept = kind !== undefined && !this.#leftOut.leaves(kind);
    const hides = (silent.has(name) && !isOpenDialog && !isKept) || (kind !== undefined && !isKept);
    const isBlock = shown === 'block' || isStyledAsBlock(attributes.style);
    const { href } = attributes;
    const element: Open = {
      name,
      hides,
      kind,
      start: this.#segments.length,
      length: this.#length,
      before: this.#tail,
      numbered: numberedAs(attributes.class),
      isBlock,
      href,
      reference: name === 'a' && href?.includes('#') && !/^\w{2,}:/.test(href) ? href : undefined,
    };
    this.#open.push(element);
    if (wordless.has(name)) this.#wordlessDepth += 1;
    if (name === 'math' && this.#hidden === 0) this.#formula = createFormula(attributes.alttext);
    else this.#formula?.open(name, attributes);
    // `name` is the `id` of older documents.
    const ids = [attributes.id, name === 'a' ? attributes.name : undefined];
    const anchor = ids.find((id) => id && this.#reading.anchors?.has(id));
    if (anchor !== undefined) this.#segments.push({ kind: 'mark', name: anchor });
    if (hides && this.#hidden === 0) {
      this.#hiddenKind = kind;
      this.#mark = '';
    }
    if (hides) this.#hidden += 1;
    if (this.#hidden > 0) return;
    if (this.#isInside(element)) this.#linkDepth += 1;
    if (noteBodies.has(name)) this.#bodies.push(element);
    for (const id of ids) {
      const mark = id && this.#notes.size > 0 ? this.#notes.get(this.#placeOf(`#${id}`)) : undefined;
      if (mark !== undefined) this.#beginNote(mark);
    }
    if (name === 'sup') {
      this.#raisedDepth += 1;
      this.#raisedStart = this.#segments.length;
    }
    if (name === 'tr') this.#cells = 0;
    if ((name === 'td' || name === 'th') && this.#cells++ > 0) this.#say(', ');
    if (name === 'img' && attributes.alt) this.#picture(attributes.alt);
    if (name === 'input' && attributes.value) this.#input(attributes.type ?? 'text', attributes.value);
    const isHeading = /^h[1-6]$/.test(name);
    if (isHeading) this.#heading = new HeadingWords();
    else if (this.#heading !== undefined) this.#heading.open(name, isBlock ? 'display:block' : undefined);
    else if (isBlock && !pauseKinds.has(name)) this.#pause('p');
    if (isHeading) for (const body of this.#bodies) body.hasHeading = true;
    // Text before a block is one of its own.
    this.#pause(isHeading ? 'p' : name);
    if (isHeading && this.#reading.headings === 'marked')
      this.#segments.push({ kind: 'mark', name: headingMark + name.slice(1) });
  }

  text(text: string): void {
    this.#formula?.text(text);
    const spoken = text.replace(/\s+/gu, ' ');
    if (this.#hidden > 0) {
      if (this.#mark.length <= longestMark) this.#mark += spoken;
      if (this.#hiddenKind === undefined || spoken.trim() === '' || this.#wordlessDepth > 0) return;
      this.#leftOut.count(this.#hiddenKind, spoken, this.#tail);
      this.#hiddenKind = undefined;
      return;
    }
    if (spoken.trim() !== '') this.#hasWords = true;
    if (this.#heading !== undefined && this.#heading.before(this.#tail, spoken) !== '') this.#say(' ');
    // `2<sup>1</sup>/<sub>2</sub>`
    const power = this.#power;
    if (power !== undefined && power.at === this.#segments.length - 1 && /^\s?[/⁄]/u.test(spoken))
      this.#segments[power.at] = { kind: 'text', text: ` ${power.digits}` };
    const hasNumbers = spoken.includes('[') && this.#leftOut.leaves('page-numbers');
    const leaveNumber = (number: string): string => {
      this.#leftOut.count('page-numbers', number, this.#tail);
      return '';
    };
    this.#say(hasNumbers ? spoken.replace(writtenPage, leaveNumber) : spoken);
  }

  #input(type: string, value: string): void {
    if (!/^(?:text|search|button|submit|reset|email|tel|url|number)$/i.test(type)) return;
    if (this.#leftOut.leaves('forms')) this.#leftOut.count('forms', value, this.#tail);
    else this.#say(` ${value} `);
  }

  #picture(alternative: string): void {
    const text = this.#leftOut.leaves('pictures') ? spokenAlternative(alternative) : alternative;
    if (text === undefined) this.#leftOut.count('pictures', alternative, this.#tail);
    else {
      this.#pictures.push({ start: this.#segments.length, text });
      this.#say(text);
    }
  }

  close(given: string): void {
    const element = this.#open.pop();
    // The end of the page closes a tag that it cuts off, which was never open.
    if (element === undefined) return;
    const { name } = element;
    if (wordless.has(name)) this.#wordlessDepth -= 1;
    this.#formula?.close(name);
    if (name === 'math' && this.#formula !== undefined) {
      const said = this.#formula.said();
      this.#formula = undefined;
      if (this.#hidden === 1 && element.hides) {
        if (said !== undefined) this.#say(this.#tail === '' || /\s$/u.test(this.#tail) ? said : ` ${said}`);
        else this.#leftOut.count('formulas', '', this.#tail);
      }
    }
    if (element.hides) {
      this.#hidden -= 1;
      const mark = this.#mark.trim();
      const isMark = this.#hidden === 0 && element.kind === 'notes' && mark !== '' && mark.length <= longestMark;
      if (isMark) this.#refer(element, mark);
      return;
    }
    if (this.#hidden > 0) return;
    if (this.#isInside(element)) this.#linkDepth -= 1;
    if (name === 'a') this.#endLink(element);
    if (name === 'sup') {
      this.#raisedDepth -= 1;
      this.#endRaised(element);
    }
    const { numbered } = element;
    if (numbered !== undefined && this.#leftOut.leaves(numbered) && this.#length - element.length <= longestNumber) {
      const text = this.#spokenSince(element.start, longestNumber + 1);
      if (isPrintedNumber(text)) {
        this.#takeBack(element);
        this.#leftOut.count(numbered, text, element.before);
      }
    }
    if (noteBodies.has(name) || name === 'figcaption') this.#dropCaptioned(element);
    if (noteBodies.has(name)) this.#endNote(element);
    if (/^h[1-6]$/.test(name)) this.#heading = undefined;
    else if (this.#heading !== undefined) this.#heading.close(name);
    else if (element.isBlock && !pauseKinds.has(name)) this.#pause('p');
    if (given !== 'br' && given !== 'hr') this.#pause(name);
    if (this.#reading.headings === 'marked' && /^h[1-6]$/.test(name))
      this.#segments.push({ kind: 'mark', name: headingMark });
  }

  end(): readonly Segment[] {
    this.#endLinks();
    const [picture, ...others] = this.#pictures;
    const isPicture = others.length === 0 && !this.#hasWords && this.#reading.pages === 'alone';
    // A cover has nothing to say, and its name is none of the book.
    if (picture !== undefined && isPicture && this.#leftOut.leaves('pictures')) {
      this.#leftOut.count('pictures', picture.text);
      this.#takeBack({ start: picture.start, before: '' });
    }
    return this.#segments;
  }

  /** The place in the book of a reference of this page. */
  #placeOf(reference: string): string {
    return this.#reading.place?.(reference) ?? reference.slice(1);
  }

  #refer(link: Open | undefined, mark: string): void {
    if (link?.reference !== undefined) this.#notes.set(this.#placeOf(link.reference), mark);
  }

  /** Whether a link leads to a place of the book: from a page on its own, those of other pages lead elsewhere. */
  #isInside({ name, href }: Open): boolean {
    if (name !== 'a' || href === undefined || /^(?:\w{2,}:|\/\/)/.test(href)) return false;
    return href.startsWith('#') || this.#reading.place !== undefined;
  }

  /** Leaves out lines of links with the heading above them. */
  #endLinks(): void {
    const [start, end] = this.#links.end(this.#segments.length, this.#lines) ?? [];
    if (start === undefined || !this.#leftOut.leaves('contents')) return;
    let from = start;
    while (from > 0 && this.#segments[from - 1]?.kind !== 'text') from -= 1;
    let title = '';
    while (from > 0 && this.#segments[from - 1]?.kind === 'text') {
      from -= 1;
      title = (this.#segments[from] as { readonly text: string }).text + title;
    }
    const first = this.#segments[start];
    // The places of open elements stay as they are.
    for (let at = matterOf(title) === 'contents' ? from : start; at < (end ?? 0); at += 1)
      if (this.#segments[at]?.kind === 'text') this.#segments[at] = { kind: 'text', text: '' };
    this.#leftOut.count('contents', first?.kind === 'text' ? first.text : '');
  }

  /** Leaves out the description of a picture that its caption repeats. */
  #dropCaptioned({ start }: Open): void {
    const picture = this.#pictures.at(-1);
    if (picture === undefined || picture.start >= start || start - picture.start > mostLooked) return;
    if (!this.#leftOut.leaves('pictures')) return;
    const between = this.#segments.slice(picture.start + 1, start).some(({ kind }) => kind === 'text');
    if (between || this.#spokenSince(start, picture.text.length + 9).trim() !== picture.text.trim()) return;
    this.#segments[picture.start] = { kind: 'text', text: ' ' };
    this.#pictures.pop();
    this.#leftOut.count('pictures', picture.text);
  }

  #pause(name: string): void {
    const kind = pauseKinds.get(name) ?? (blocks.has(name) ? 'paragraph' : undefined);
    if (kind === undefined) return;
    this.#segments.push({ kind: 'pause', seconds: structurePauses[kind], from: 'structure' });
    this.#lines += 1;
    this.#length += 1;
    this.#tail = '';
  }

  #say(text: string): void {
    if (this.#linkDepth > 0 && this.#heading === undefined) this.#links.add(text, this.#segments.length, this.#lines);
    else if (/\p{L}/u.test(text)) this.#endLinks();
    this.#segments.push({ kind: 'text', text });
    this.#length += text.length;
    this.#tail = (this.#tail + text).slice(-24);
  }

  /** Takes back what was spoken since; marks of chapters stay. */
  #takeBack({ start, before }: Pick<Open, 'start' | 'before'>): void {
    const marks = this.#segments.slice(start).filter(({ kind }) => kind === 'mark');
    this.#segments.length = start;
    for (const mark of marks) this.#segments.push(mark);
    this.#tail = before;
  }

  #spokenSince(start: number, most: number): string {
    let text = '';
    const end = Math.min(this.#segments.length, start + mostLooked);
    for (let index = start; index < end && text.length < most; index += 1) {
      const segment = this.#segments[index] as Segment;
      if (segment.kind === 'text') text += segment.text;
    }
    return text;
  }

  /** A link to a place: a mark of a note, or the way back from one. */
  #endLink(link: Open): void {
    if (link.reference === undefined || this.#length - link.length > longestMark) return;
    const text = this.#spokenSince(link.start, longestMark + 1);
    if (isBackLink(text)) for (const body of this.#bodies) body.leadsBack = true;
    if (!this.#leftOut.leaves('notes')) return;
    if (/^[↩↑←⏎]/u.test(text.trim())) {
      this.#takeBack(link);
      return;
    }
    const isRaised = this.#raisedDepth > 0 || this.#raisedStart === link.start;
    if (!isLinkedMark(text, link.before, isRaised ? 'raised' : 'in line')) return;
    this.#refer(link, text.trim());
    this.#takeBack(link);
    this.#leftOut.count('notes', text, link.before);
  }

  #endRaised(raised: Open): void {
    if (this.#length - raised.length > longestMark) return;
    const text = this.#spokenSince(raised.start, longestMark + 1);
    const meaning = raisedAs(text, raised.before);
    if (meaning === 'note') {
      if (!this.#leftOut.leaves('notes')) return;
      this.#takeBack(raised);
      this.#leftOut.count('notes', text, raised.before);
      // The link around it leads to the note.
      this.#refer(
        this.#open.findLast(({ reference }) => reference !== undefined),
        text.trim(),
      );
    } else if (meaning !== undefined) {
      this.#takeBack(raised);
      this.#power = { at: this.#segments.length, digits: text.trim() };
      this.#say(meaning.power);
    }
  }

  #endNote(body: Open): void {
    this.#bodies.pop();
    if (body.note === undefined || body.hasHeading === true || this.#length - body.length > longestNote) return;
    if (body.leadsBack !== true && !beginsWithMark(this.#spokenSince(body.start, 40), body.note)) return;
    this.#takeBack(body);
    if (body.name === 'dt') this.#noteFollows = true;
  }

  /** The paragraph that begins here with the place of a note. */
  #beginNote(mark: string): void {
    const body = this.#bodies.at(-1);
    if (body !== undefined && (body.note !== undefined || this.#spokenSince(body.start, 2).trim() === ''))
      body.note ??= mark;
  }
}
