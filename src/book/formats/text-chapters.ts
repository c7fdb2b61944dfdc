/** The headings of a plain text: lines that look like one, with their titles below, unless they are a list or out of order. */
import { lettersOf } from '../chapter-pieces.ts';
import { headingOf, withoutAnnotations } from './aozora.ts';
import { titleKey } from './text-contents.ts';
import {
  headingLevel,
  isBareHeading,
  isChapterLine,
  isEnd,
  isNamedHeading,
  isNumberedLine,
  isSentenceTitle,
  isTitledHeading,
  looksLikeTitle,
  numeralOf,
} from './text-headings.ts';
import { blockFrom, emptyFrom, type Layout, sentenceEnd, type TextLine, type TextLines } from './text-lines.ts';

export interface Heading {
  readonly title: string;
  readonly level: number;
  /** Number of its last line. */
  readonly last: number;
}

type Headings = ReadonlyMap<number, Heading>;

export interface ChapterSigns {
  readonly layout: Layout;
  /** Letters of titles in the table of contents, of which each is a heading once. */
  readonly titles: ReadonlySet<string>;
  /** Whether headings have the annotations of Aozora Bunko. */
  readonly isAnnotated: boolean;
  readonly isSkipped: (line: number) => boolean;
}

/** Lines of a heading. */
const mostLines = 4;
/** Headings without a word between them that are a list. */
const fewestListed = 3;

/** Headings by the number of their first line. */
export function headingsIn(lines: TextLines, signs: ChapterSigns): Headings {
  const found = new Map<number, Heading>();
  const left = new Set(signs.titles);
  for (let index = 0; index < lines.length; index += 1) {
    if ((lines[index] as TextLine).text === '' || signs.isSkipped(index)) continue;
    const heading = signs.isAnnotated
      ? annotatedHeading(lines, index, signs)
      : headingAt(lines, index, signs.layout, left);
    if (heading === undefined) continue;
    found.set(index, heading);
    left.delete(titleKey(heading.title));
    index = heading.last;
  }
  return signs.isAnnotated ? found : withoutLists(lines, inOrder(lines, ofContents(found, signs.titles)));
}

/** Heading by an annotation, else by its looks. */
function annotatedHeading(lines: TextLines, index: number, signs: ChapterSigns): Heading | undefined {
  const { text } = lines[index] as TextLine;
  const level = headingOf(text);
  const heading =
    level === undefined ? headingAt(lines, index, signs.layout, new Set()) : { title: text, level, last: index };
  return heading && { ...heading, title: withoutAnnotations(heading.title) };
}

const isUpper = (text: string): boolean => /\p{Lu}{2}/u.test(text) && text === text.toUpperCase();

/** @param listed titles of the table of contents that have had no heading yet */
function headingAt(lines: TextLines, index: number, layout: Layout, listed: ReadonlySet<string>): Heading | undefined {
  const { text: written, width } = lines[index] as TextLine;
  const text = written.replace(/^(\*{1,3}|_{1,3})(\S.*)\1$/, '$2');
  const before = emptyFrom(lines, index - 1, -1);
  const behind = emptyFrom(lines, index + 1, 1);
  const block = before > 0 && behind === 0 ? wholeTitle(lines, index) : undefined;
  const next = lines[index + 1]?.text ?? '';
  const goesOn = behind === 0 && block === undefined && (width >= layout.width * 0.75 || /^\p{Ll}/u.test(next));
  const place = {
    before,
    behind: block === undefined ? behind : 1,
    endsBefore: sentenceEnd.test(lines[index - 1]?.text ?? ''),
    goesOn,
  };
  const whole = block?.title ?? text;
  const level = headingLevel(whole, place);
  if (level !== undefined && block !== undefined) return { title: whole, level, last: block.last };
  const own = block === undefined ? level : headingLevel(text, { ...place, behind });
  if (own === undefined) {
    const isAlone = layout.isDense || (before > 0 && behind > 0);
    const isListed = isAlone && !/[,;:]$/u.test(text) && listed.has(titleKey(text));
    const isStated = layout.isDense && (isNamedHeading(text) || (isNumberedLine(text) && isChapterLine(text)));
    const dense = isStated ? headingLevel(text, alone) : undefined;
    return isListed || dense !== undefined ? { title: text, level: dense ?? 2, last: index } : undefined;
  }
  return isBareHeading(text)
    ? withTitle(lines, { title: text, level: own, last: index }, behind)
    : { title: text, level: own, last: index };
}

/** Lines in capitals up to an empty one, or those of a title of two. */
function wholeTitle(lines: TextLines, from: number): { readonly title: string; readonly last: number } | undefined {
  const block = blockFrom(lines, from, mostLines + 1);
  if (block.length < 2 || block.length > mostLines) return undefined;
  const texts = block.map(({ text }) => text);
  if (isBareHeading(texts[0] as string) || texts.slice(1).some((text) => headingLevel(text, alone) === 2))
    return undefined;
  const title = texts.join(' ');
  const isTitle = isTitledHeading(texts[0] as string)
    ? block.length < mostLines && isSentenceTitle(title)
    : isTwoLines(texts);
  return isUpper(title) || isTitle ? { title, last: from + block.length - 1 } : undefined;
}

const isTwoLines = (texts: readonly string[]): boolean =>
  texts.length === 2 && texts.every((text) => /\p{Lu}/u.test(text)) && looksLikeTitle(texts.join(' '), 2);

const alone = { before: 1, behind: 1, endsBefore: true, goesOn: false } as const;

/** `CHAPTER I.` above its title, perhaps with an empty line between them. */
function withTitle(lines: TextLines, bare: Heading, behind: number): Heading {
  const next = bare.last + 1 + (behind === 1 ? 1 : 0);
  if (behind > 1) return bare;
  const texts = blockFrom(lines, next, mostLines + 1).map(({ text }) => text);
  const title = texts.join(' ');
  const isTitle =
    texts.length > 0 &&
    texts.length <= mostLines &&
    (texts.length === 1 ? looksLikeTitle(title) : isUpper(title) || isTwoLines(texts)) &&
    (headingLevel(title, alone) !== 2 || isNamedHeading(title));
  // A line with nothing below it is the text of its chapter.
  let below = next + texts.length;
  while (lines[below]?.text === '') below += 1;
  const words = lines[below]?.text ?? '';
  const isNext = headingLevel(words, alone) === 2 && numeralOf(words) !== 1;
  if (!isTitle || words === '' || isNext) return bare;
  const both = `${bare.title.replace(/[.:]$/, '')}. ${title}`.replace(/\.\. /, '. ');
  return { ...bare, title: both, last: next + texts.length - 1 };
}

/** Without titles in capitals that the table of contents doesn't list, where it lists most of them. */
function ofContents(headings: Headings, titles: ReadonlySet<string>): Headings {
  const capitals = [...headings.values()].filter(({ level }) => level === 3);
  const isListed = ({ title }: Heading): boolean => titles.has(titleKey(title));
  if (capitals.filter(isListed).length <= capitals.length / 2) return headings;
  return new Map([...headings].filter(([, heading]) => heading.level !== 3 || isListed(heading)));
}

/** Without numerals that neither follow nor precede another one, such as the initial of `L. Frank Baum`. */
function inOrder(lines: TextLines, headings: Headings): Headings {
  const numerals = new Map<number, number>();
  for (const index of headings.keys()) {
    const numeral = numeralOf((lines[index] as TextLine).text);
    if (numeral !== undefined) numerals.set(index, numeral);
  }
  const known = new Set(numerals.values());
  return new Map(
    [...headings].filter(([index]) => {
      const numeral = numerals.get(index);
      return numeral === undefined || numeral === 1 || known.has(numeral - 1) || known.has(numeral + 1);
    }),
  );
}

/** Without headings that follow each other without a word, as the acts of a play in front of it. */
function withoutLists(lines: TextLines, headings: Headings): Headings {
  const runs: [number, Heading][][] = [];
  let end = -1;
  for (const entry of headings) {
    const [index, heading] = entry;
    const run = runs.at(-1);
    const follows = run !== undefined && lines.slice(end + 1, index).every(({ text }) => text === '');
    if (follows) run.push(entry);
    else runs.push([entry]);
    end = heading.last;
  }
  return new Map(
    runs.flatMap((run) => {
      const isEndOnly = (entry: [number, Heading]): boolean => isEnd(entry[1].title);
      const counts = new Map<number, number>();
      for (const [, { level }] of run) counts.set(level, (counts.get(level) ?? 0) + 1);
      if (![...counts.values()].some((count) => count >= fewestListed)) return run.filter((entry) => !isEndOnly(entry));
      // The last ones have their text below where they repeat an entry: a part, and its first chapter.
      let from = run.length - 1;
      while (from > 0 && (run[from - 1]?.[1].level ?? 9) < (run[from]?.[1].level ?? 0)) from -= 1;
      const [own, ...others] = [run[from], ...run.slice(0, from)].map((entry) => lettersOf(entry?.[1].title ?? ''));
      const isRepeated = others.some((title) => title.startsWith(own ?? '') || own?.startsWith(title));
      return isRepeated ? run.slice(from) : [];
    }),
  );
}
