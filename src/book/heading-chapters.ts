/** Chapters of a document without a table of contents: where its headings are. */
import { passagesOf, type Segment, structurePauses } from '../engine/script/passage.ts';
import { smallest } from '../extremes.ts';
import { sanitizeLine } from '../messages.ts';
import type { Chapter } from './book.ts';
import { joinPieces, type Piece, withTitlePages } from './chapter-pieces.ts';
import { isChapterLine } from './formats/text-headings.ts';
import { headingMark } from './heading-marks.ts';
import type { LeftOutCounter } from './left-out.ts';
import { leaveByTitle } from './matter.ts';
import { withWordHeadings } from './word-headings.ts';

export interface HeadingChapters {
  readonly chapters: readonly Chapter[];
  readonly warnings: readonly string[];
}

/**
 * @param segments with marks of headings
 * @param title of what comes before the first heading, and of a document without any
 * @param chapterDepth levels of headings that make chapters; by default one, or more where chapters would be long
 */
export function chaptersByHeadings(
  segments: readonly Segment[],
  title: string,
  { chapterDepth, leftOut }: { readonly chapterDepth?: number | undefined; readonly leftOut: LeftOutCounter },
): HeadingChapters {
  const marked = piecesOf(segments);
  const isNumbered = marked.some((piece) => piece.title !== undefined && isChapterLine(piece.title));
  const pieces = withTitlePages(isNumbered ? marked : piecesOf(withWordHeadings(segments)));
  const levels = pieces.flatMap(({ title: heading, depth }) => (heading === undefined ? [] : [depth]));
  const top = topLevel(levels);
  const joined = joinPieces(pieces, chapterDepth === undefined ? undefined : top + chapterDepth - 1, top);
  const chapters: Chapter[] = [];
  const warnings: string[] = [];
  for (const { title: heading = title, segments: own } of joined) {
    const warning = leaveByTitle(heading, leftOut);
    if (warning !== undefined) warnings.push(warning);
    else if (own.some((segment) => segment.kind === 'text' && segment.text.trim() !== '')) {
      const end: Segment = { kind: 'pause', seconds: structurePauses.paragraph, from: 'structure' };
      chapters.push({ title: heading, segments: [...own, end] });
    }
  }
  return { chapters, warnings };
}

/** The highest level with several headings: a single one is the title of the document. */
function topLevel(levels: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const level of levels) counts.set(level, (counts.get(level) ?? 0) + 1);
  const several = [...counts].filter(([, count]) => count > 1).map(([level]) => level);
  return Math.min(smallest(several.length > 0 ? several : counts.keys()), 6);
}

function piecesOf(segments: readonly Segment[]): readonly Piece[] {
  const pieces: { title: string | undefined; depth: number; segments: Segment[] }[] = [
    { title: undefined, depth: 0, segments: [] },
  ];
  let heading: Segment[] | undefined;
  for (const segment of segments) {
    const piece = pieces.at(-1) as (typeof pieces)[number];
    if (segment.kind === 'mark' && segment.name.startsWith(headingMark)) {
      const level = Number(segment.name.slice(headingMark.length));
      if (level > 0) {
        heading = [];
        pieces.push({ title: undefined, depth: level, segments: [] });
        continue;
      }
      const words = passagesOf(heading ?? []).map(({ text }) => text);
      const title = sanitizeLine(words.join(' '));
      heading = undefined;
      // A heading without words begins nothing.
      if (title !== '') piece.title = title;
      else {
        const before = pieces.at(-2);
        if (before !== undefined) pieces.splice(-1, 1);
      }
      continue;
    }
    heading?.push(segment);
    piece.segments.push(segment);
  }
  return pieces;
}
