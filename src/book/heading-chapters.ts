/** Chapters of a document without a table of contents: where its headings are. */
import { type Segment, structurePauses, textsOf } from '../engine/script/passage.ts';
import { smallest } from '../extremes.ts';
import { sanitizeLine } from '../messages.ts';
import type { Chapter } from './book.ts';
import { hasText, joinPieces, type Piece, withTitlePages } from './chapter-pieces.ts';
import { isChapterLine } from './formats/text-headings.ts';
import type { LeftOutCounter } from './left-out.ts';
import { leaveByTitle } from './matter.ts';
import { headingMark } from './page-elements.ts';
import { withWordHeadings } from './word-headings.ts';

/**
 * @param segments with marks of headings
 * @param title of what comes before the first heading, and of a document without any
 * @param chapterDepth levels of headings that make chapters; by default one, or more where chapters would be long
 */
export function chaptersByHeadings(
  segments: readonly Segment[],
  title: string,
  { chapterDepth, leftOut }: { readonly chapterDepth?: number | undefined; readonly leftOut: LeftOutCounter },
) {
  const marked = piecesOf(segments);
  const isNumbered = marked.some((piece) => piece.title !== undefined && isChapterLine(piece.title));
  const pieces = withTitlePages(isNumbered ? marked : piecesOf(withWordHeadings(segments)));
  const levels = pieces.flatMap(({ title: heading, depth }) => (heading === undefined ? [] : [depth]));
  const top = topLevel(levels);
  const joined = joinPieces(pieces, chapterDepth === undefined ? undefined : top + chapterDepth - 1, top);
  return spokenChapters(joined, title, leftOut);
}

/** Pieces with words as chapters, without front and back matter. @param title of pieces without one */
export function spokenChapters(pieces: readonly Piece[], title: string, leftOut: LeftOutCounter) {
  const chapters: Chapter[] = [];
  const warnings: string[] = [];
  const end: Segment = { kind: 'pause', seconds: structurePauses.paragraph, from: 'structure' };
  for (const { title: heading = title, segments } of pieces) {
    const warning = leaveByTitle(heading, leftOut);
    if (warning !== undefined) warnings.push(warning);
    else if (hasText(segments)) chapters.push({ title: heading, segments: [...segments, end] });
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
      const title = sanitizeLine(textsOf(heading ?? []).join(' '));
      heading = undefined;
      // A heading without words begins nothing.
      if (title !== '') piece.title = title;
      else if (pieces.length > 1) pieces.pop();
      continue;
    }
    heading?.push(segment);
    piece.segments.push(segment);
  }
  return pieces;
}
