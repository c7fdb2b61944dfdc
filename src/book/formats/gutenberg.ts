/** Conventions of Project Gutenberg's plain texts: licence, marks of emphasis, notes and pictures. */

const start = /^\s{0,9}\*{3} ?START OF TH(?:E|IS) PROJECT GUTENBERG E-?(?:BOOK|TEXT)\b/i;
const oldStart = /^\s{0,9}\*END\*? ?THE SMALL PRINT|\*END THE SMALL PRINT! FOR PUBLIC DOMAIN E?TEXTS/i;
const end = /^\s{0,9}\*{3} ?END OF TH(?:E|IS) PROJECT GUTENBERG E-?(?:BOOK|TEXT)\b/i;
const softEnd = /^\s{0,9}(?:\*{3} )?(?:The )?End of (?:the |this )?Project Gutenberg(?:['’]s|\s+E-?(?:book|text))/i;
/** Credit after the start: who made the file. */
const credit =
  /^(?:Produced by|E-?text prepared by|Transcribed (?:by|from)|Updated editions? will|This e-?(?:text|book) was (?:produced|prepared)|HTML version by|Credits?:)/i;
const transcriberNote = /^\[?Transcriber['’]s? notes?\b/i;

/** Where the book itself is: the numbers of its first line, and of the first one behind it. */
export function extentOf(lines: readonly string[]) {
  let from = 0;
  let to = lines.length;
  let isGutenberg = false;
  for (const [index, line] of lines.entries()) {
    if (start.test(line) || oldStart.test(line)) {
      from = index + 1;
      // The line may go on, as its title is long.
      while (from < lines.length && !/\*{3}\s*$/.test(lines[from - 1] ?? '') && lines[from]?.trim() !== '') from += 1;
      isGutenberg = true;
    } else if (from > 0 && (end.test(line) || softEnd.test(line))) {
      to = index;
      isGutenberg = true;
      break;
    }
  }
  return { from, to, isGutenberg };
}

/** Whether a paragraph is about the file, and not of the book. */
export const isCredit = (paragraph: string): boolean => credit.test(paragraph) || transcriberNote.test(paragraph);

/** `_emphasis_`, `*emphasis*`, and in Gutenberg's texts `=bold=`; a name such as `a_b` stays. */
export function withoutEmphasis(text: string, isGutenberg: boolean): string {
  const plain = text
    .replace(/(?<![\p{L}\p{N}_])_(?=[^\s_])([^_]{1,2000}?)(?<=[^\s_])_(?![\p{L}\p{N}_])/gu, '$1')
    .replace(/(?<![\p{L}\p{N}*])\*{1,3}(?=[^\s*])([^*\n]{1,300}?)(?<=[^\s*])\*{1,3}(?![\p{L}\p{N}*])/gu, '$1');
  return isGutenberg
    ? plain.replace(/(?<![\p{L}\p{N}=])=(?=[^\s=])([^=]{1,300})(?<=[^\s=])=(?![\p{L}\p{N}=])/gu, '$1')
    : plain;
}

/** The caption of a picture; undefined for a paragraph that is none. */
export function pictureCaption(paragraph: string): string | undefined {
  const [, caption] = /^\[Illustration(?::\s*([^\]]{0,2000}))?\]$/i.exec(paragraph) ?? [];
  return caption ?? (/^\[Illustration\]$/i.test(paragraph) ? '' : undefined);
}

export function noteOf(paragraph: string): string | undefined {
  const [, mark] = /^\[(?:Footnote |Fußnote |Note )?(\d{1,4}|[A-Z*†‡])(?::|\])\s/i.exec(paragraph) ?? [];
  return mark;
}
