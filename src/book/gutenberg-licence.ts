/** Project Gutenberg's header and licence around a book of any format; those of plain texts go by lines. */
import type { Segment } from '../engine/script/passage.ts';
import type { Book, Chapter } from './book.ts';
import { hasText } from './chapter-pieces.ts';

const start = /\*{3}\s?START OF TH(?:E|IS) PROJECT GUTENBERG E-?(?:BOOK|TEXT)\b[^*]{0,400}(?:\*{3}|$)/i;
const end =
  /\*{3}\s?END OF TH(?:E|IS) PROJECT GUTENBERG E-?(?:BOOK|TEXT)\b|^\s{0,9}End of (?:the |this )?Project Gutenberg(?:['’]s|\s+E-?(?:book|text))/i;

interface Place {
  readonly chapter: number;
  readonly segment: number;
  /** In the text of the segment, where the mark begins and ends. */
  readonly from: number;
  readonly to: number;
}

function find(chapters: readonly Chapter[], mark: RegExp, after?: Place): Place | undefined {
  for (let chapter = after?.chapter ?? 0; chapter < chapters.length; chapter += 1) {
    const segments = chapters[chapter]?.segments ?? [];
    for (let segment = chapter === after?.chapter ? after.segment + 1 : 0; segment < segments.length; segment += 1) {
      const own = segments[segment] as Segment;
      const match = own.kind === 'text' ? mark.exec(own.text) : null;
      if (match !== null) return { chapter, segment, from: match.index, to: match.index + match[0].length };
    }
  }
  return undefined;
}

/** Leaves out what comes before the mark of the start and after that of the end. */
export function withoutLicence<Read extends Book>(book: Read, keep: readonly string[] = []): Read {
  const first = keep.includes('copyright') ? undefined : find(book.chapters, start);
  const last = keep.includes('copyright') ? undefined : find(book.chapters, end, first);
  if (first === undefined && last === undefined) return book;
  const chapters = book.chapters.flatMap((chapter, index): readonly Chapter[] => {
    if (index < (first?.chapter ?? 0) || index > (last?.chapter ?? index)) return [];
    const segments = chapter.segments.flatMap((segment, at): readonly Segment[] => {
      const isFirst = index === first?.chapter && at === first.segment;
      const isLast = index === last?.chapter && at === last.segment;
      if (index === first?.chapter && at < first.segment) return [];
      if (index === last?.chapter && at > last.segment) return [];
      if (segment.kind !== 'text' || !(isFirst || isLast)) return [segment];
      return [{ ...segment, text: segment.text.slice(isFirst ? first.to : 0, isLast ? last.from : undefined) }];
    });
    return hasText(segments) ? [{ ...chapter, segments }] : [];
  });
  const count = (first === undefined ? 0 : 1) + (last === undefined ? 0 : 1);
  const { leftOut, firstLeftOut } = book;
  return {
    ...book,
    chapters,
    leftOut: { ...leftOut, copyright: (leftOut.copyright ?? 0) + count },
    firstLeftOut: { copyright: "Project Gutenberg's header or licence", ...firstLeftOut },
  };
}
