/**
 * Rewrites a part of a Word document so that mammoth, which passes over what it doesn't know, meets all words that a reader of
 * the document sees, and no others (ECMA-376 Part 1, 17 and 22.1).
 */
import { spokenAlternative } from '../../engine/script/alternatives.ts';
import { sayFormula } from '../../engine/script/formula.ts';
import type { LeftOutCounter, LeftOutKind } from '../left-out.ts';
import { readMarkup } from '../markup.ts';
import { dropped, known, prefixes, properties, stories, vml } from './docx-elements.ts';
import { latexOf, textOf, type XmlNode } from './office-formula.ts';
import { fieldKind, fieldWords, WordFields } from './word-fields.ts';
import { textLevel, type WordStyles } from './word-styles.ts';
import { escapeHtml } from './xml-to-html.ts';

type Attributes = Readonly<Record<string, string>>;

interface Frame {
  readonly name: string;
  readonly attributes: Attributes;
  readonly written: string;
  /** Length of the output before it. */
  readonly start: number;
  keeps?: boolean;
  /** Why nothing inside is read. */
  drop?: LeftOutKind | undefined;
  /** Whether the style of a paragraph hides it, or a run is hidden, once it is known. */
  hidden?: boolean | undefined;
  isResolved?: boolean;
  hasChoice?: boolean;
  isDropCap?: boolean;
  /** Level of a paragraph that is a heading though its style is none of Word's; null for text that says so. */
  level?: number | null | undefined;
  /** Output where the content of a paragraph begins. */
  content?: number;
  boxes?: string[];
  alternative?: string | undefined;
  hasPicture?: boolean;
}

const isOff = (value: string | undefined): boolean => /^(?:0|false|off|none)$/i.test(value ?? '');

/** Parts that a part of a document refers to. */
interface PartContext {
  readonly styles: WordStyles;
  /** Ids of the relations of the part: links and pictures of others, as damaged documents have them, stop mammoth. */
  readonly relations: ReadonlySet<string>;
}

/**
 * @param xml of the document, its footnotes or its endnotes
 * @returns XML of the same part
 */
export function rewritePart(xml: string, context: PartContext, leftOut: LeftOutCounter): string {
  const marks = (type: string): number => xml.match(new RegExp(`fldCharType="${type}"`, 'g'))?.length ?? 0;
  const reading = new PartReading(context, leftOut, marks('begin') === marks('end') ? 'ended' : 'open');
  readMarkup(xml, 'xml', reading);
  return reading.out.join('');
}

class PartReading {
  readonly out: string[] = [];
  readonly #styles: WordStyles;
  readonly #relations: ReadonlySet<string>;
  readonly #leftOut: LeftOutCounter;
  readonly #frames: Frame[] = [];
  readonly #fields: WordFields;
  readonly #prefixes = new Map<string, string>([['xml', 'xml']]);
  /** Open elements inside of which nothing is read, from the first. */
  #dropDepth = 0;
  #dropKind: LeftOutKind | 'nothing' | undefined;
  #propertyDepth = 0;
  #math: XmlNode[] = [];
  #dropCap = '';
  #tail = '';
  #word = 'w:';
  readonly #hasFields: boolean;

  /** @param fields whether all of them end: one that doesn't would take the rest of the document with it */
  constructor({ styles, relations }: PartContext, leftOut: LeftOutCounter, fields: 'ended' | 'open') {
    this.#hasFields = fields === 'ended';
    this.#styles = styles;
    this.#relations = relations;
    this.#leftOut = leftOut;
    this.#fields = new WordFields((kind) => leftOut.leaves(kind));
  }

  open(written: string, attributes: Attributes): void {
    const name = this.#canonical(written, attributes);
    const top = this.#math.at(-1);
    if (top !== undefined) {
      const node: XmlNode = { name: name.slice(name.indexOf(':') + 1), attributes, children: [] };
      top.children.push(node);
      this.#math.push(node);
      return;
    }
    if (this.#propertyDepth === 0) this.#resolve(name);
    const frame: Frame = { name, attributes, written, start: this.out.length };
    if (this.#dropDepth > 0) {
      // A field may end inside of what is left out.
      if (name === 'w:fldChar') this.#readField(attributes[`${this.#word}fldCharType`]);
      this.#fields.readChoice(name, attributes[`${this.#word}val`] ?? '');
      this.#dropDepth += 1;
      this.#frames.push(frame);
      return;
    }
    if (this.#propertyDepth > 0) {
      this.#propertyDepth += 1;
      this.#readProperty(name, attributes);
      this.#keep(frame);
      return;
    }
    if (name === 'm:oMath') {
      this.#math.push({ name: 'oMath', attributes, children: [] });
      return;
    }
    const kind = this.#dropOf(name, attributes);
    if (kind !== undefined && (kind === 'nothing' || this.#leftOut.leaves(kind))) {
      this.#leave(frame, kind);
      if (kind === 'embedded') this.#count(kind, '');
      this.#frames.push(frame);
      return;
    }
    const isRead = this.#readMark(name, attributes);
    if (!isRead && properties.has(name)) this.#propertyDepth = 1;
    if (!isRead && (known.has(name) || /^(?:a|pic|wp\w{0,3}):/.test(name) || name === 'w:delText')) this.#keep(frame);
    else this.#frames.push(frame);
  }

  text(text: string): void {
    const math = this.#math.at(-1);
    if (math !== undefined) {
      math.children.push(text);
      return;
    }
    const frame = this.#frames.at(-1);
    if (frame === undefined || text === '') return;
    if (frame.name === 'w:instrText') this.#fields.readInstruction(text);
    if (this.#dropDepth > 0) {
      const isText = /:(?:t|delText)$/.test(frame.name);
      if (isText && text.trim() !== '' && this.#dropKind !== undefined && this.#dropKind !== 'nothing') {
        this.#count(this.#dropKind, text);
        this.#dropKind = undefined;
      }
      return;
    }
    if (frame.name === 'w:t' || frame.name === 'w:delText') {
      if (this.#fields.isInstruction) return;
      const leaving = this.#fields.left;
      if (leaving?.drop !== undefined) {
        if (!leaving.isCounted && text.trim() !== '') this.#count(leaving.drop, text);
        leaving.isCounted ||= text.trim() !== '';
        return;
      }
      this.#follow(text);
    } else if (frame.name === 'a:t' ? text.trim() !== '' : /\p{L}{2}/u.test(text) && !frame.keeps) {
      this.#count('embedded', text);
    }
    this.out.push(escapeHtml(text));
  }

  close(): void {
    const node = this.#math.pop();
    if (node !== undefined) {
      if (this.#math.length === 0) this.#say(node);
      return;
    }
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    if (this.#dropDepth > 0) {
      this.#dropDepth -= 1;
      // A run or a row that turned out to be hidden has left no trace.
      if (this.#dropDepth === 0) this.#dropKind = undefined;
      return;
    }
    if (this.#propertyDepth > 0) {
      this.#propertyDepth -= 1;
      if (frame.keeps) this.out.push(`</${frame.written}>`);
      if (this.#propertyDepth === 0) this.#endProperties(frame);
      return;
    }
    if (this.#dropCap !== '' && stories.has(frame.name)) {
      this.out.push(`<${this.#word}p>${this.#dropCap}</${this.#word}p>`);
      this.#dropCap = '';
    }
    if (frame.keeps) this.out.push(`</${this.#renamed(frame)}>`);
    this.#end(frame);
  }

  /** The name with the prefix that mammoth uses. */
  #canonical(written: string, attributes: Attributes): string {
    for (const [key, value] of Object.entries(attributes)) {
      if (key === 'xmlns' || key.startsWith('xmlns:'))
        this.#prefixes.set(key.slice(6), prefixes.get(value) ?? key.slice(6));
    }
    const colon = written.indexOf(':');
    const prefix = written.slice(0, Math.max(0, colon));
    const name = `${this.#prefixes.get(prefix) ?? prefix}:${written.slice(colon + 1)}`;
    if (name.startsWith('w:')) this.#word = colon === -1 ? '' : `${prefix}:`;
    return name;
  }

  #keep(frame: Frame): void {
    frame.keeps = true;
    this.#frames.push(frame);
    const kept = Object.entries(frame.attributes).filter(
      ([key, value]) => !this.#isRelation(key) || this.#relations.has(value),
    );
    const list = kept.map(([key, value]) => ` ${key}="${escapeHtml(value)}"`);
    this.out.push(`<${this.#renamed(frame)}${list.join('')}>`);
    frame.content = this.out.length;
  }

  #isRelation(key: string): boolean {
    const colon = key.indexOf(':');
    return colon !== -1 && this.#prefixes.get(key.slice(0, colon)) === 'r';
  }

  /** Deleted text that is to be read is text. */
  #renamed = ({ name, written }: Frame): string => (name === 'w:delText' ? `${this.#word}t` : written);

  #count(kind: LeftOutKind, words: string): void {
    this.#leftOut.count(kind, words, this.#tail);
  }

  #dropOf(name: string, attributes: Attributes): LeftOutKind | 'nothing' | undefined {
    if (name === 'w:fldSimple') return fieldKind(attributes[`${this.#word}instr`] ?? '');
    // The other choice shows the same.
    if (name === 'mc:Fallback' && this.#frames.at(-1)?.hasChoice === true) return 'nothing';
    return dropped.get(name);
  }

  /** Elements that mammoth is given in another form. @returns whether the element itself is left out */
  #readMark(name: string, attributes: Attributes): boolean {
    const value = (key: string): string | undefined => attributes[`${this.#word}${key}`];
    const w = this.#word;
    const parent = this.#frames.at(-1);
    switch (name) {
      case 'w:br':
        if (!/^(?:page|column)$/.test(value('type') ?? '')) return false;
        this.out.push(`<${w}br/>`);
        return true;
      case 'w:cr':
        this.out.push(`<${w}br/>`);
        return true;
      case 'w:ptab':
        this.out.push(`<${w}tab/>`);
        return true;
      case 'w:fldChar':
        this.#readField(value('fldCharType'));
        return this.#fields.left !== undefined;
      case 'mc:Choice':
        if (parent !== undefined) parent.hasChoice = true;
        return true;
      case 'wps:txbx':
        return true;
      case 'w:txbxContent':
      case 'wp:docPr':
      case 'a:blip':
        if (this.#drawing !== undefined) this.#readDrawing(this.#drawing, name, attributes);
        return false;
      case 'v:textpath':
        if (attributes.string)
          this.out.push(`<${w}p><${w}r><${w}t>${escapeHtml(attributes.string)}</${w}t></${w}r></${w}p>`);
        return true;
      default:
        if (name.endsWith(':OLEObject') && /^Equation\./i.test(attributes.ProgID ?? '')) this.#count('formulas', '');
        return false;
    }
  }

  get #drawing(): Frame | undefined {
    return this.#frames.findLast(({ name }) => name === 'w:drawing');
  }

  #readDrawing(drawing: Frame, name: string, attributes: Attributes): void {
    if (name === 'w:txbxContent') drawing.boxes ??= [];
    else if (name === 'wp:docPr') drawing.alternative = attributes.descr || attributes.title;
    else if (Object.entries(attributes).some(([key, id]) => this.#isRelation(key) && this.#relations.has(id)))
      drawing.hasPicture = true;
  }

  #readField(type: string | undefined): void {
    if (!this.#hasFields) return;
    const ended = this.#fields.readMark(type);
    if (ended === undefined || this.#dropDepth > 0 || this.#fields.left !== undefined || this.#fields.isInstruction)
      return;
    const words = fieldWords(ended, this.#leftOut, this.#tail);
    if (words === undefined) return;
    this.out.push(this.#textOf(words));
    this.#follow(words);
  }

  #textOf(words: string): string {
    return `<${this.#word}t xml:space="preserve">${escapeHtml(words)}</${this.#word}t>`;
  }

  #follow(words: string): void {
    this.#tail = (this.#tail + words).slice(-24);
  }

  /** A property of the paragraph, run, row or control around it. */
  #readProperty(name: string, attributes: Attributes): void {
    const value = attributes[`${this.#word}val`];
    const depth = this.#propertyDepth - 1;
    const holder = this.#frames.at(-depth);
    const owner = this.#frames.at(-depth - 1);
    if (holder === undefined || owner === undefined) return;
    const place = depth === 1 ? `${holder.name} ${name}` : '';
    if (place === 'w:pPr w:pStyle') {
      const kind = this.#styles.matterOf(value);
      if (kind !== undefined && this.#leftOut.leaves(kind)) owner.drop = kind;
      if (this.#styles.isHidden(value)) owner.hidden = true;
      if (owner.level === undefined) owner.level = this.#styles.headingOf(value);
    }
    if (place === 'w:pPr w:outlineLvl') owner.level = Number(value) < textLevel ? Number(value) + 1 : null;
    if (place === 'w:pPr w:framePr')
      owner.isDropCap = /^(?:drop|margin)$/.test(attributes[`${this.#word}dropCap`] ?? '');
    const isOfRun = owner.name === 'w:r';
    if (place === 'w:rPr w:vanish' && isOfRun) owner.hidden = !isOff(value);
    if (place === 'w:rPr w:rStyle' && isOfRun && this.#styles.isHidden(value)) owner.hidden ??= true;
    if (place === 'w:trPr w:hidden' && !isOff(value)) owner.drop = 'hidden';
    if (place === 'w:trPr w:del') owner.drop = 'changes';
    if (holder.name !== 'w:sdtPr') return;
    if (name === 'w:docPartGallery' && /^table of contents$/i.test(value ?? '')) owner.drop = 'contents';
    if (name === 'w:showingPlcHdr' && !isOff(value)) owner.drop = 'forms';
  }

  /** Properties come first in their element, which may turn out to be left out. */
  #endProperties(frame: Frame): void {
    const owner = this.#frames.at(-1);
    if (owner === undefined) return;
    if (frame.name === 'w:pPr') {
      // The first style of a paragraph is its own for mammoth, which knows the headings of Word.
      const w = this.#word;
      if (owner.level)
        this.out.splice(frame.content ?? frame.start, 0, `<${w}pStyle ${w}val="Heading${Math.min(6, owner.level)}"/>`);
      owner.content = this.out.length;
      this.#giveDropCap(owner);
    }
    if (frame.name === 'w:rPr') this.#resolveRun(owner);
    if (owner.drop !== undefined && this.#leftOut.leaves(owner.drop)) this.#leave(owner, owner.drop);
  }

  /** Leaves out an element that has begun. */
  #leave(owner: Frame, kind: LeftOutKind | 'nothing'): void {
    this.out.length = owner.start;
    this.#dropDepth = 1;
    this.#dropKind = kind;
  }

  /** The first child of a run or paragraph without properties. */
  #resolve(name: string): void {
    const parent = this.#frames.at(-1);
    if (parent === undefined) return;
    if (parent.name === 'w:r' && name !== 'w:rPr') this.#resolveRun(parent);
    if (parent.name === 'w:p' && name !== 'w:pPr') this.#giveDropCap(parent);
  }

  #resolveRun(run: Frame): void {
    if (run.name !== 'w:r' || run.isResolved === true) return;
    run.isResolved = true;
    const isHidden = run.hidden ?? this.#frames.findLast(({ name }) => name === 'w:p')?.hidden === true;
    if (isHidden && this.#leftOut.leaves('hidden')) this.#leave(run, 'hidden');
  }

  /** The large first letter of a paragraph is one of its own in Word. */
  #giveDropCap(paragraph: Frame): void {
    if (this.#dropCap === '' || paragraph.name !== 'w:p' || paragraph.isDropCap === true) return;
    this.out.push(this.#dropCap);
    this.#dropCap = '';
  }

  #end(frame: Frame): void {
    const w = this.#word;
    if (frame.name === 'w:p' && frame.isDropCap === true) {
      this.#dropCap = this.out.slice(frame.content).slice(0, -1).join('');
      this.out.length = frame.start;
    }
    const boxes = frame.name === 'w:txbxContent' ? this.#drawing?.boxes : undefined;
    if (boxes !== undefined) {
      // Drawings hold pictures alone for mammoth.
      boxes.push(this.out.slice(frame.start).join(''));
      this.out.length = frame.start;
    }
    if (frame.name === 'w:drawing') {
      for (const box of frame.boxes ?? [])
        this.out.push(`<${w}pict><v:textbox xmlns:v="${vml}">${box}</v:textbox></${w}pict>`);
      if (frame.alternative && frame.hasPicture !== true) this.#sayAlternative(frame.alternative);
    }
    if (/^(?:w:p|w:tc)$/.test(frame.name)) this.#tail = '';
  }

  #sayAlternative(alternative: string): void {
    const words = this.#leftOut.leaves('pictures') ? spokenAlternative(alternative) : alternative;
    if (words === undefined) this.#count('pictures', alternative);
    else this.out.push(this.#textOf(` ${words} `));
  }

  #say(node: XmlNode): void {
    const latex = latexOf(node);
    const said = latex === undefined ? undefined : sayFormula(latex);
    const words = said ?? (latex !== undefined && !/[\\{}^_]/.test(latex) ? latex : undefined);
    if (words === undefined || words.trim() === '') {
      if (textOf(node).trim() !== '') this.#count('formulas', textOf(node));
      return;
    }
    const text = this.#textOf(` ${words} `);
    const isInRun = this.#frames.at(-1)?.name === 'w:r';
    this.out.push(isInRun ? text : `<${this.#word}r>${text}</${this.#word}r>`);
    this.#follow(words);
  }
}
