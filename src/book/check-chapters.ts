/** Checks chapters that a program hands over, which may be of any type. */
import { show } from '../messages.ts';
import { invalid } from '../validation.ts';
import type { Chapter } from './book.ts';

/** @throws SvcError INVALID_REQUEST for what are no chapters of a book */
export function checkChapters(chapters: unknown): asserts chapters is readonly Chapter[] {
  if (!Array.isArray(chapters)) throw invalid('a list of chapters', 'chapters', show(chapters));
  for (const [index, chapter] of chapters.entries()) {
    if (!isChapter(chapter)) throw invalid('an object with title and segments', `chapter ${index + 1}`, show(chapter));
  }
}

function isChapter(value: unknown): boolean {
  const { title, segments } = Object(value) as Partial<Record<keyof Chapter, unknown>>;
  return typeof title === 'string' && Array.isArray(segments) && segments.every(isSegment);
}

function isSegment(value: unknown): boolean {
  const { kind, text, seconds, name } = Object(value) as Readonly<Record<string, unknown>>;
  if (kind === 'text') return typeof text === 'string';
  return kind === 'pause' ? typeof seconds === 'number' : kind === 'mark' && typeof name === 'string';
}
