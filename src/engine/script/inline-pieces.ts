/**
 * Cuts a very long paragraph of Markdown, as of a book without blank lines or of a client that means harm: parsed as one, 64 KiB
 * with emphasis hold the event loop for a fifth of a second.
 */

/** Longest piece, in UTF-16 code units: a hundredth of a second. */
const longest = 4096;

/**
 * Pieces of at most `longest` that together are the text. Each ends behind a line, else behind a word, where possible outside of
 * links, tags, code and emphasis, which don't go across.
 */
export function* inlinePieces(text: string): Generator<string> {
  let from = 0;
  while (text.length - from > longest) {
    const end = endOfPiece(text, from);
    yield text.slice(from, end);
    from = end;
  }
  yield text.slice(from);
}

const telling = /[[\])<>*` \n]/g;

/** From best to worst. */
const places = ['line outside', 'word outside', 'line', 'word'] as const;

function endOfPiece(text: string, from: number): number {
  const ends = new Map<(typeof places)[number], number>();
  const open = { ...nothing };
  for (const { 0: character, index } of text.slice(from, from + longest).matchAll(telling)) {
    const at = from + index;
    follow(open, character, text[at + 1]);
    // An end in the second half alone, so that pieces stay few.
    if (at < from + longest / 2 || (character !== ' ' && character !== '\n')) continue;
    const kind = character === '\n' ? 'line' : 'word';
    ends.set(kind, at + 1);
    const isOutside = open.brackets === 0 && !open.address && !open.tag && open.stars % 2 === 0 && open.ticks % 2 === 0;
    if (isOutside) ends.set(`${kind} outside`, at + 1);
  }
  const place = places.find((one) => ends.has(one));
  if (place !== undefined) return ends.get(place) as number;
  const last = text.charCodeAt(from + longest - 1);
  const isHalf = last >= 0xd800 && last < 0xdc00;
  return from + longest - (isHalf ? 1 : 0);
}

/** `address`: between `](` and `)`. */
const nothing = { brackets: 0, address: false, tag: false, stars: 0, ticks: 0 };

function follow(open: typeof nothing, character: string, next = ''): void {
  if (character === '[') open.brackets += 1;
  else if (character === ']') {
    open.brackets = Math.max(0, open.brackets - 1);
    open.address = next === '(';
  } else if (character === ')') open.address = false;
  else if (character === '<') open.tag = /[a-z/]/i.test(next);
  else if (character === '>') open.tag = false;
  else if (character === '*') open.stars += 1;
  else if (character === '`') open.ticks += 1;
}
