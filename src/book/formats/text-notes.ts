/** Notes at the end of a plain text that have several paragraphs, as pandoc writes them. */

const note = /^<div data-left-out="notes">\[(\d{1,4})\]/;
/** Paragraphs of a note behind its first. */
const mostParagraphs = 8;

/**
 * Joins the paragraphs between two notes to the first, where the text before it refers to the second, so that no text of
 * the book is between them.
 *
 * @param html blocks of the text, which change
 */
export function joinNotes(html: string[]): void {
  const marks = new Set<number>();
  let open: { readonly at: number; readonly number: number } | undefined;
  let kept = 0;
  for (const block of html) {
    const number = Number(note.exec(block)?.[1] ?? 0);
    if (number > 0) {
      const between = open === undefined ? [] : html.slice(open.at + 1, kept);
      const isOne = open?.number === number - 1 && between.length > 0 && between.length <= mostParagraphs;
      if (isOne && open !== undefined && marks.has(number)) {
        html[open.at] = (html[open.at] as string).replace(/<\/div>$/, () => ` ${between.map(wordsOf).join(' ')}</div>`);
        kept = open.at + 1;
      }
      open = { at: kept, number };
    } else if (!block.startsWith('<p>') || block.includes('data-left-out')) {
      open = undefined;
      for (const [, mark] of block.matchAll(/>\[(\d{1,4})\]<\/span>/g)) marks.add(Number(mark));
    }
    html[kept] = block;
    kept += 1;
  }
  html.length = kept;
}

const wordsOf = (paragraph: string): string => paragraph.slice('<p>'.length, -'</p>'.length).replaceAll('<br>', ' ');
