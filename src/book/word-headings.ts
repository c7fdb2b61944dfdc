/** Headings of a document that has marked none: paragraphs such as `Chapter 1`, as typed manuscripts have them. */
import { type Segment, textsOf } from '../engine/script/passage.ts';
import { isChapterLine, numeralOf } from './formats/text-headings.ts';
import { headingMark } from './page-elements.ts';

interface Paragraph {
  readonly text: string;
  readonly segments: readonly Segment[];
}

/** Paragraphs: the segments between pauses. */
function paragraphsOf(segments: readonly Segment[]): readonly Paragraph[] {
  const paragraphs: { text: string; segments: Segment[] }[] = [{ text: '', segments: [] }];
  for (const segment of segments) {
    if (segment.kind === 'pause') paragraphs.push({ text: '', segments: [segment] }, { text: '', segments: [] });
    else paragraphs.at(-1)?.segments.push(segment);
  }
  for (const paragraph of paragraphs) paragraph.text = textsOf(paragraph.segments).join(' ').trim();
  return paragraphs;
}

/** A table of contents has more headings without a word between them. */
const mostInRow = 2;
const fewest = 2;

/** With marks of headings. */
export function withWordHeadings(segments: readonly Segment[]): readonly Segment[] {
  const paragraphs = paragraphsOf(segments);
  const headings = new Set(outsideOfLists(paragraphs.filter(({ text }) => text !== '')));
  const numerals = new Set([...headings].map(({ text }) => numeralOf(text)));
  for (const heading of headings) {
    const numeral = numeralOf(heading.text) ?? 1;
    if (numeral !== 1 && !numerals.has(numeral - 1) && !numerals.has(numeral + 1)) headings.delete(heading);
  }
  for (const heading of summaries(paragraphs, headings)) headings.delete(heading);
  if (headings.size < fewest) return segments;
  return paragraphs.flatMap((paragraph) =>
    headings.has(paragraph)
      ? [{ kind: 'mark', name: `${headingMark}2` }, ...paragraph.segments, { kind: 'mark', name: headingMark }]
      : paragraph.segments,
  );
}

/** Headings of a table of contents with a summary below each, which the headings of the chapters repeat. */
function summaries(paragraphs: readonly Paragraph[], headings: ReadonlySet<Paragraph>): readonly Paragraph[] {
  const below = new Map<Paragraph, number>();
  let last: Paragraph | undefined;
  for (const paragraph of paragraphs) {
    if (headings.has(paragraph)) last = paragraph;
    if (last !== undefined) below.set(last, (below.get(last) ?? 0) + paragraph.text.length);
  }
  const longest = new Map<string, number>();
  for (const [{ text }, length] of below) longest.set(text, Math.max(longest.get(text) ?? 0, length));
  return [...below].filter(([{ text }, length]) => length < (longest.get(text) ?? 0) / 4).map(([heading]) => heading);
}

function outsideOfLists(paragraphs: readonly Paragraph[]): readonly Paragraph[] {
  const found: Paragraph[] = [];
  let row: Paragraph[] = [];
  for (const paragraph of paragraphs) {
    if (isChapterLine(paragraph.text)) row.push(paragraph);
    else {
      // The last one has its text below.
      for (const heading of row.slice(row.length > mostInRow ? -1 : 0)) found.push(heading);
      row = [];
    }
  }
  return found;
}
