/** Cuts a page into the pieces that become chapters. */
import { type Segment, textsOf } from '../engine/script/passage.ts';
import { smallest } from '../extremes.ts';
import { isBareHeading, isChapterLine, isNamedHeading, isOfChapter } from './formats/text-headings.ts';

/** A piece that begins with an entry of the table of contents, or in front of the first one. */
export interface Piece {
  /** Title of the chapter that it begins. */
  readonly title: string | undefined;
  readonly depth: number;
  readonly segments: Segment[];
}

/** The pieces between marks of entries. @param first title and level of what is in front of them */
export function cutAtEntries(
  segments: readonly Segment[],
  entries: ReadonlyMap<string, Pick<Piece, 'depth'> & { readonly title: string }>,
  first?: Pick<Piece, 'title' | 'depth'>,
): readonly Piece[] {
  const pieces: Piece[] = [{ title: first?.title, depth: first?.depth ?? 0, segments: [] }];
  for (const segment of segments) {
    const entry = segment.kind === 'mark' ? entries.get(segment.name) : undefined;
    if (entry !== undefined) pieces.push({ title: entry.title, depth: entry.depth, segments: [] });
    else pieces.at(-1)?.segments.push(segment);
  }
  return pieces;
}

/** Characters of half an hour of speech: a chapter with more is cut where entries are nested below its own. */
const longChapter = 30_000;

/**
 * Joins pieces to chapters.
 *
 * @param pieces as small as the table of contents has them, in reading order
 * @param chapterDepth the deepest level of chapters; by the length of chapters when left out
 * @param top the level of chapters that are not long; that of the first title when left out
 */
export function joinPieces(
  pieces: readonly Piece[],
  chapterDepth: number | undefined,
  top = pieces.find(({ title }) => title !== undefined)?.depth ?? 0,
): readonly Piece[] {
  const titled = withTitles(pieces);
  return chapterDepth === undefined ? cutLong(titled, top) : joined(titled, chapterDepth);
}

/** A chapter or part may be empty; it is no title of another one. */
const isTitleAlone = (piece: Piece): boolean =>
  piece.title !== undefined && !isChapterLine(piece.title) && !isBareHeading(piece.title) && isHeadingOnly(piece);

/** Headings without a word below them, such as those of a title page, with the next one of their level, whose title stays. */
export function withTitlePages(pieces: readonly Piece[]): readonly Piece[] {
  const result: Piece[] = [];
  let open: Piece | undefined;
  for (const given of withTitles(pieces)) {
    const isBelow = open !== undefined && given.title !== undefined && given.depth <= open.depth;
    // Each of any number of headings in a row is copied once.
    const segments: Segment[] = isBelow ? (open?.segments ?? []) : [];
    for (const segment of given.segments) segments.push(segment);
    const piece: Piece = { ...given, segments };
    if (open !== undefined && !isBelow) result.push(open);
    open = isTitleAlone(given) ? piece : undefined;
    if (open === undefined) result.push(piece);
  }
  return open === undefined ? result : [...result, open];
}

/** Headings such as `CHAPTER ONE` with the title in the next heading. */
function withTitles(pieces: readonly Piece[]): readonly Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    const { title } = piece;
    const isTitle =
      last?.title !== undefined &&
      title !== undefined &&
      isBareHeading(last.title) &&
      piece.depth >= last.depth &&
      ((!isChapterLine(title) && !isBareHeading(title)) || isNamedHeading(title)) &&
      isHeadingOnly(last);
    if (!isTitle) result.push(piece);
    else {
      const both = `${last.title?.replace(/[.:]$/, '')}. ${title}`;
      result[result.length - 1] = { ...last, title: both, segments: [...last.segments, ...piece.segments] };
    }
  }
  return result;
}

/** Those whose level is too deep belong to the piece before, if there is one. */
function joined(pieces: readonly Piece[], depth: number): readonly Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    const isPlace = piece.title !== undefined && piece.depth > depth;
    if (!isPlace) result.push({ ...piece, segments: [...piece.segments] });
    else if (last === undefined) result.push({ ...piece, title: undefined, segments: [...piece.segments] });
    else for (const segment of piece.segments) last.segments.push(segment);
  }
  return result;
}

/** Cuts where entries are at most as deep as the first, and deeper in what is long or has only its heading. */
function cutLong(pieces: readonly Piece[], depth: number): readonly Piece[] {
  const groups: Piece[][] = [];
  for (const piece of pieces) {
    const last = groups.at(-1);
    if (last === undefined || piece.title === undefined || piece.depth <= depth) groups.push([piece]);
    else last.push(piece);
  }
  return groups.flatMap((group) => {
    const [head, ...nested] = group as [Piece, ...Piece[]];
    if (nested.length === 0) return group;
    const isLong = lengthOf(group) > longChapter;
    if (!isLong && (!isHeadingOnly(head) || isOfChapter(head.title ?? ''))) return joined(group, depth);
    return [head, ...cutLong(nested, smallest(nested.map((piece) => piece.depth)))];
  });
}

const lengthOf = (pieces: readonly Piece[]): number =>
  pieces.reduce(
    (sum, { segments }) =>
      segments.reduce((length, segment) => length + (segment.kind === 'text' ? segment.text.length : 0), sum),
    0,
  );

const mostHeading = 200;

function isHeadingOnly({ title, segments, ...piece }: Piece): boolean {
  if (title === undefined || lengthOf([{ ...piece, title, segments }]) > mostHeading) return false;
  const letters = lettersOf(textsOf(segments).join(''));
  return letters === '' || letters === lettersOf(title);
}

export const hasText = (segments: readonly Segment[]): boolean =>
  segments.some((segment) => segment.kind === 'text' && segment.text.trim() !== '');

/** To compare titles. */
export const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
