/** The headings of a Markdown text, with their times in its speech. */
import type { TimedSentence } from '../../engine/timing/timed-text.ts';

export interface Chapter {
  readonly title: string;
  /** Seconds. */
  readonly start: number;
}

const heading = /^ {0,3}#{1,6}[ \t]([^\n]*)$/gm;

/** Without marks, and without the signs that may close a heading: `## Bye ##`. */
function titleOf(line: string): string {
  const words = line.replace(/[*_`]/g, '').split(/\s/).filter(Boolean);
  const isClosed = words.length > 1 && [...(words.at(-1) ?? '')].every((sign) => sign === '#');
  return (isClosed ? words.slice(0, -1) : words).join(' ');
}

/** Letters and digits alone: marks are not spoken, and cleaning changes others. */
const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Each heading at the first sentence behind the one before that begins with it; no list for fewer than two. */
export function findChapters(text: string, sentences: readonly TimedSentence[]): readonly Chapter[] {
  const chapters: Chapter[] = [];
  let from = 0;
  for (const [, line = ''] of text.matchAll(heading)) {
    const title = titleOf(line);
    const wanted = bare(title);
    if (wanted === '') continue;
    const at = sentences.findIndex((sentence, index) => index >= from && bare(sentence.text).startsWith(wanted));
    if (at === -1) continue;
    from = at + 1;
    chapters.push({ title, start: (sentences[at] as TimedSentence).start });
  }
  return chapters.length < 2 ? [] : chapters;
}
