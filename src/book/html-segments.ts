/** Converts a book page (HTML or XHTML) to speakable text. Tolerates the mark-up that books really have. */
import { sayFormula } from '../engine/script/formula.ts';
import { type Segment, structurePauses } from '../engine/script/passage.ts';
import { silentTags } from '../engine/text/html-tags.ts';
import { noAlternative, spokenAlternative } from './alternatives.ts';
import { headingMark } from './heading-marks.ts';
import { createHeadingWords, type HeadingWords, isStyledAsBlock } from './heading-words.ts';
import { countLeftOut, type LeftOutCounter, type LeftOutKind } from './left-out.ts';
import { readMarkup } from './markup.ts';
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

/** Nothing inside is spoken, unless its kind is kept. */
const silentKinds: Readonly<Record<string, LeftOutKind>> = {
  rt: 'readings',
  rtc: 'readings',
  rp: 'readings',
  nav: 'contents',
  textarea: 'forms',
  select: 'forms',
  datalist: 'forms',
  template: 'hidden',
  dialog: 'hidden',
  svg: 'embedded',
  iframe: 'embedded',
  object: 'embedded',
  audio: 'embedded',
  video: 'embedded',
  // What stands in for them where they cannot be shown.
  canvas: 'embedded',
  meter: 'embedded',
  progress: 'embedded',
  noscript: 'embedded',
};
const silent = new Set([...silentTags, ...Object.keys(silentKinds)]);
/** What is in them is no text of the page. */
const wordless = new Set(['script', 'style', 'head', 'rp']);

const blockPauses = new Map<string, keyof typeof structurePauses>([
  ['h1', 'heading'],
  ['h2', 'heading'],
  ['h3', 'heading'],
  ['h4', 'heading'],
  ['h5', 'heading'],
  ['h6', 'heading'],
  ['li', 'item'],
  ['dt', 'item'],
  ['dd', 'item'],
  ['tr', 'item'],
  ['figcaption', 'item'],
  ['hr', 'rule'],
  ['br', 'line'],
]);
const blocks = new Set(
  `p div section article header footer main aside blockquote pre figure ul ol dl table caption address center form fieldset legend
  details summary label button dialog hgroup search`.split(/\s+/),
);
/** Elements that may hold a note. */
const noteBodies = new Set('p li dd dt div aside td tr'.split(' '));
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

/** An open element. */
interface Open {
  readonly name: string;
  readonly hides: boolean;
  /** What is hidden. */
  readonly kind: LeftOutKind | undefined;
  /** Number of segments, of characters and the last words before it. */
  readonly start: number;
  readonly length: number;
  readonly before: string;
  readonly numbered: LeftOutKind | undefined;
  readonly reference: string | undefined;
  /** Of a note, its mark. */
  note?: string | undefined;
  readonly isBlock: boolean;
  leadsBack?: boolean;
  hasHeading?: boolean;
}

/** @throws DocumentLimitError for elements that are nested too deeply */
export function htmlSegments(html: string, reading: PageReading = {}): readonly Segment[] {
  const { anchors, notes = new Map<string, string>(), place = (reference) => reference.slice(1) } = reading;
  const leftOut = reading.leftOut ?? countLeftOut();
  const segments: Segment[] = [];
  const open: Open[] = [];
  /** Open elements that may be notes. */
  const bodies: Open[] = [];
  /** How deep inside elements that are not spoken. */
  let hidden = 0;
  let hiddenKind: LeftOutKind | undefined;
  let cells = 0;
  /** Of what was spoken, with a little for each pause. */
  let length = 0;
  /** The end of what was spoken in this paragraph. */
  let tail = '';
  let raisedDepth = 0;
  /** Number of segments before the last raised element. */
  let raisedStart = -1;
  /** The power that was written last, and where. */
  let power: { readonly at: number; readonly digits: string } | undefined;
  let formula: Formula | undefined;
  let noteFollows = false;
  /** How deep inside elements whose text is no words. */
  let wordlessDepth = 0;
  /** Of the open heading. */
  let heading: HeadingWords | undefined;
  /** What the only picture of the page says, and whether anything else is spoken. */
  const pictures: { readonly start: number; readonly text: string }[] = [];
  let hasWords = false;

  const pause = (name: string): void => {
    const kind = blockPauses.get(name) ?? (blocks.has(name) ? 'paragraph' : undefined);
    if (kind === undefined) return;
    segments.push({ kind: 'pause', seconds: structurePauses[kind], from: 'structure' });
    length += 1;
    tail = '';
  };
  const say = (text: string): void => {
    segments.push({ kind: 'text', text });
    length += text.length;
    tail = (tail + text).slice(-24);
  };
  /** Takes back what was spoken since; marks of chapters stay. */
  const takeBack = ({ start, before }: Pick<Open, 'start' | 'before'>): void => {
    const marks = segments.slice(start).filter(({ kind }) => kind === 'mark');
    segments.length = start;
    for (const mark of marks) segments.push(mark);
    tail = before;
  };
  const spokenSince = (start: number, most: number): string => {
    let text = '';
    const end = Math.min(segments.length, start + mostLooked);
    for (let index = start; index < end && text.length < most; index += 1) {
      const segment = segments[index] as Segment;
      if (segment.kind === 'text') text += segment.text;
    }
    return text;
  };

  /** A link to a place: a mark of a note, or the way back from one. */
  function endLink(link: Open): void {
    if (link.reference === undefined || length - link.length > longestMark) return;
    const text = spokenSince(link.start, longestMark + 1);
    if (isBackLink(text)) for (const body of bodies) body.leadsBack = true;
    if (!leftOut.leaves('notes')) return;
    if (/^[↩↑←⏎]/u.test(text.trim())) {
      takeBack(link);
      return;
    }
    const isRaised = raisedDepth > 0 || raisedStart === link.start;
    if (!isLinkedMark(text, link.before, isRaised ? 'raised' : 'in line')) return;
    notes.set(place(link.reference), text.trim());
    takeBack(link);
    leftOut.count('notes', text, link.before);
  }

  function endRaised(raised: Open): void {
    if (length - raised.length > longestMark) return;
    const text = spokenSince(raised.start, longestMark + 1);
    const meaning = raisedAs(text, raised.before);
    if (meaning === 'note') {
      if (!leftOut.leaves('notes')) return;
      takeBack(raised);
      leftOut.count('notes', text, raised.before);
    } else if (meaning !== undefined) {
      takeBack(raised);
      power = { at: segments.length, digits: text.trim() };
      say(meaning.power);
    }
  }

  function endNote(body: Open): void {
    bodies.pop();
    if (body.note === undefined || body.hasHeading === true || length - body.length > longestNote) return;
    if (body.leadsBack !== true && !beginsWithMark(spokenSince(body.start, 40), body.note)) return;
    takeBack(body);
    if (body.name === 'dt') noteFollows = true;
  }

  /** The paragraph that begins here with the place of a note. */
  function beginNote(mark: string): void {
    const body = bodies.at(-1);
    if (body !== undefined && (body.note !== undefined || spokenSince(body.start, 2).trim() === '')) body.note ??= mark;
  }

  readMarkup(
    html,
    {
      onopentag(given, attributes) {
        const name = given.slice(given.indexOf(':') + 1);
        // The alternatives of `epub:switch`; its default is read.
        const isAlternative = given === 'epub:case';
        const shown = reading.display?.(name, attributes);
        const isOpenDialog = name === 'dialog' && attributes.open !== undefined;
        let kind = leftOutAs(attributes) ?? (isOpenDialog ? undefined : silentKinds[name]);
        if (kind === undefined && shown === 'hidden') kind = 'hidden';
        if (kind === undefined && isAlternative) kind = 'embedded';
        if (noteFollows && name === 'dd') kind = 'notes';
        if (name !== 'dd' && blocks.has(name)) noteFollows = false;
        const isKept = kind !== undefined && !leftOut.leaves(kind);
        const hides = (silent.has(name) && !isOpenDialog && !isKept) || (kind !== undefined && !isKept);
        const isBlock = shown === 'block' || isStyledAsBlock(attributes.style);
        const { href } = attributes;
        const element: Open = {
          name,
          hides,
          kind,
          start: segments.length,
          length,
          before: tail,
          numbered: numberedAs(attributes.class),
          isBlock,
          reference: name === 'a' && href?.includes('#') && !/^\w{2,}:/.test(href) ? href : undefined,
        };
        open.push(element);
        if (wordless.has(name)) wordlessDepth += 1;
        if (name === 'math' && hidden === 0) formula = { alternative: attributes.alttext, words: [], isLinear: true };
        else if (formula !== undefined) openInFormula(formula, name, attributes);
        // `name` is the `id` of older documents.
        const ids = [attributes.id, name === 'a' ? attributes.name : undefined];
        const anchor = ids.find((id) => id && anchors?.has(id));
        if (anchor !== undefined) segments.push({ kind: 'mark', name: anchor });
        if (hides) {
          if (hidden === 0) hiddenKind = kind;
          hidden += 1;
        }
        if (hidden > 0) return;
        if (noteBodies.has(name)) bodies.push(element);
        for (const id of ids) {
          const mark = id && notes.size > 0 ? notes.get(place(`#${id}`)) : undefined;
          if (mark !== undefined) beginNote(mark);
        }
        if (name === 'sup') {
          raisedDepth += 1;
          raisedStart = segments.length;
        }
        if (name === 'tr') cells = 0;
        if ((name === 'td' || name === 'th') && cells++ > 0) say(', ');
        const alternative = name === 'img' ? attributes.alt : undefined;
        if (alternative) {
          const text = leftOut.leaves('pictures') ? spokenAlternative(alternative) : alternative;
          if (text === undefined) leftOut.count('pictures', alternative, tail);
          else {
            pictures.push({ start: segments.length, text });
            say(text);
          }
        }
        const isHeading = /^h[1-6]$/.test(name);
        if (isHeading) heading = createHeadingWords();
        else if (heading !== undefined) heading.open(name, isBlock ? 'display:block' : undefined);
        else if (isBlock && !blockPauses.has(name)) pause('p');
        if (isHeading) for (const body of bodies) body.hasHeading = true;
        // What comes before a block is one of its own.
        pause(isHeading ? 'p' : name);
        if (isHeading && reading.headings === 'marked')
          segments.push({ kind: 'mark', name: headingMark + name.slice(1) });
      },
      ontext(text) {
        if (formula !== undefined && formula.ignores !== true) formula.words.push(text);
        const spoken = text.replace(/\s+/gu, ' ');
        if (hidden > 0) {
          if (hiddenKind === undefined || spoken.trim() === '' || wordlessDepth > 0) return;
          leftOut.count(hiddenKind, spoken, tail);
          hiddenKind = undefined;
          return;
        }
        if (spoken.trim() !== '') hasWords = true;
        if (heading !== undefined && heading.before(tail, spoken) !== '') say(' ');
        // `2<sup>1</sup>/<sub>2</sub>`
        if (power !== undefined && power.at === segments.length - 1 && /^\s?[/⁄]/u.test(spoken)) {
          segments[power.at] = { kind: 'text', text: ` ${power.digits}` };
        }
        if (!spoken.includes('[') || !leftOut.leaves('page-numbers')) return say(spoken);
        say(
          spoken.replace(writtenPage, (number: string) => {
            leftOut.count('page-numbers', number, tail);
            return '';
          }),
        );
      },
      onclosetag(given) {
        const element = open.pop();
        // The end of the page closes a tag that it cuts off, which was never open.
        if (element === undefined) return;
        const { name } = element;
        if (wordless.has(name)) wordlessDepth -= 1;
        if (formula !== undefined && name.startsWith('annotation')) formula.ignores = false;
        if (name === 'math' && formula !== undefined) {
          const said = formulaIn(formula);
          formula = undefined;
          if (hidden === 1 && element.hides) {
            if (said !== undefined) say(tail === '' || /\s$/u.test(tail) ? said : ` ${said}`);
            else leftOut.count('formulas', '', tail);
          }
        }
        if (element.hides) {
          hidden -= 1;
          return;
        }
        if (hidden > 0) return;
        if (name === 'a') endLink(element);
        if (name === 'sup') {
          raisedDepth -= 1;
          endRaised(element);
        }
        const { numbered } = element;
        if (numbered !== undefined && leftOut.leaves(numbered) && length - element.length <= longestNumber) {
          const text = spokenSince(element.start, longestNumber + 1);
          if (isPrintedNumber(text)) {
            takeBack(element);
            leftOut.count(numbered, text, element.before);
          }
        }
        if (noteBodies.has(name)) endNote(element);
        if (/^h[1-6]$/.test(name)) heading = undefined;
        else if (heading !== undefined) heading.close(name);
        else if (element.isBlock && !blockPauses.has(name)) pause('p');
        if (given !== 'br' && given !== 'hr') pause(name);
        if (reading.headings === 'marked' && /^h[1-6]$/.test(name)) segments.push({ kind: 'mark', name: headingMark });
      },
    },
    { lowerCaseTags: true, recognizeSelfClosing: true },
  );
  const [picture, ...others] = pictures;
  // A cover has nothing to say, and its name is none of the book.
  if (
    picture !== undefined &&
    others.length === 0 &&
    !hasWords &&
    reading.pages === 'alone' &&
    leftOut.leaves('pictures')
  ) {
    leftOut.count('pictures', picture.text);
    takeBack({ start: picture.start, before: '' });
  }
  return segments;
}

interface Formula {
  readonly alternative: string | undefined;
  readonly words: string[];
  isLinear: boolean;
  latex?: boolean;
  /** Inside of another form of the same formula. */
  ignores?: boolean;
}

/** Rows of signs and names, which are read from left to right. */
const linear = new Set(
  'mrow mi mn mo mtext mspace mstyle semantics annotation annotation-xml mpadded mphantom'.split(' '),
);

function openInFormula(formula: Formula, name: string, { encoding }: Readonly<Record<string, string>>): void {
  if (name === 'annotation' && /tex/i.test(encoding ?? '')) {
    formula.latex = true;
    formula.words.length = 0;
  } else if (name.startsWith('annotation')) formula.ignores = true;
  else if (formula.ignores !== true && !linear.has(name)) formula.isLinear = false;
}

/** The name of a function, where it is no command of LaTeX. */
const plainFunction = /(?<![\\\p{L}])(sin|cos|tan|log|ln)(?!\p{L})/gu;
/** Words of a language, and no names of functions. */
const isDescribed = (written: string): boolean =>
  !/[\\{}^_]/.test(written) &&
  /(?<!\p{L})(?!(?:sin|cos|tan|log|lim|max|min|mod|exp|det)(?!\p{L}))\p{L}{3}/u.test(written);

/** Undefined for one without words. */
function formulaIn({ alternative, words, isLinear, latex }: Formula): string | undefined {
  const described = alternative !== undefined && noAlternative.test(alternative) ? undefined : alternative;
  const written = described ?? (latex ? words.join('') : undefined);
  if (written !== undefined && written.trim() !== '') {
    if (isDescribed(written)) return written.replace(/\s+/gu, ' ').trim();
    const said = sayFormula(written.replace(plainFunction, '\\$1'));
    if (said !== undefined) return said;
    return /[\\{}]/.test(written) ? undefined : written.replace(/\s+/gu, ' ').trim();
  }
  const row = words.join(' ').replace(/\s+/gu, ' ').trim();
  return isLinear && row !== '' ? (sayFormula(row) ?? row) : undefined;
}
