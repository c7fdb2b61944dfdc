/** Lines of a page of a PDF from its pieces of text, in the order in which people read them. */
import { largest, smallest } from '../../extremes.ts';
import { GrowingText } from '../growing-text.ts';
import type { LeftOutCounter } from '../left-out.ts';
import { raisedAs } from '../note-marks.ts';

export interface Line {
  readonly text: string;
  /** Height of its base, from the bottom of the page, in points. */
  readonly y: number;
  readonly x: number;
  readonly end: number;
  readonly height: number;
  /** Where the column begins. */
  readonly margin: number;
  /** Marks of notes that were raised in it. */
  readonly marks?: readonly string[];
}

export interface Page {
  readonly lines: readonly Line[];
}

/** A piece of text as pdf.js gives it. */
export interface TextItem {
  readonly str: string;
  readonly transform: readonly number[];
  readonly height: number;
  readonly width: number;
}

/** A piece of text where it is, without its rotation. */
interface Piece {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly end: number;
  readonly height: number;
}

/** @param items in the order of the file */
export function linesOf(items: readonly TextItem[], leftOut: LeftOutCounter): readonly Line[] {
  const pieces = uprightPieces(items, leftOut);
  const usual = usualHeight(pieces.map(({ text, height }) => ({ text, height })));
  const bands = columnsOf(pieces, usual, 0);
  const lines = bands.flatMap((band) => joinLines(band, leftOut));
  return withInitials(lines, usual);
}

const quarter = Math.PI / 2;
/** Less is no rotation, in radians. */
const skew = 0.1;

/** Text at another angle than the rest of its page is a stamp, such as that of a preprint server up the margin. */
function uprightPieces(items: readonly TextItem[], leftOut: LeftOutCounter): readonly Piece[] {
  const filled = items.filter(({ str }) => str !== '');
  const lengths = new Map<number, number>();
  const turnOf = ({ transform: [a = 1, b = 0] }: TextItem): number => {
    const angle = Math.atan2(b, a);
    const turns = Math.round(angle / quarter);
    return Math.abs(angle - turns * quarter) < skew ? (turns + 4) % 4 : -1;
  };
  for (const item of filled) lengths.set(turnOf(item), (lengths.get(turnOf(item)) ?? 0) + item.str.trim().length);
  const [turn = 0] = [...lengths].sort(([, one], [, other]) => other - one)[0] ?? [];
  let stamp = '';
  const pieces: Piece[] = [];
  for (const item of filled) {
    if (turnOf(item) !== turn && leftOut.leaves('stamps')) {
      stamp += item.str;
      continue;
    }
    const [a = 0, b = 0, , , e = 0, f = 0] = item.transform;
    const [x, y] = turn === 1 ? [f, -e] : turn === 2 ? [-e, -f] : turn === 3 ? [-f, e] : [e, f];
    const height = item.height || Math.hypot(a, b);
    pieces.push({ text: item.str, x, y, end: x + item.width, height });
  }
  if (stamp.trim() !== '') leftOut.count('stamps', stamp);
  return pieces;
}

export function usualHeight(texts: readonly { readonly text: string; readonly height: number }[]): number {
  const counts = new Map<number, number>();
  for (const { text, height } of texts)
    counts.set(Math.round(height), (counts.get(Math.round(height)) ?? 0) + text.trim().length);
  const [height = 10] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [];
  return height;
}

const mostColumns = 3;
/** Rows of each column. */
const fewestRows = 4;

/** Pieces in their order, column by column; what is as wide as the page parts those above from those below. */
function columnsOf(pieces: readonly Piece[], usual: number, depth: number): readonly (readonly Piece[])[] {
  const gutter = depth < mostColumns - 1 ? gutterOf(pieces, usual) : undefined;
  if (gutter === undefined) return [pieces];
  const bands: (readonly Piece[])[] = [];
  let left: Piece[] = [];
  let right: Piece[] = [];
  let wide: Piece[] = [];
  const endColumns = (): void => {
    for (const side of [left, right])
      if (side.length > 0) for (const band of columnsOf(side, usual, depth + 1)) bands.push(band);
    left = [];
    right = [];
  };
  const rows = [...rowsOf(pieces, usual)].sort(([one], [other]) => other - one);
  for (const [, row] of rows) {
    const isWide = row.some(({ x, end }) => x < gutter.from && end > gutter.to);
    if (isWide) {
      endColumns();
      for (const piece of row) wide.push(piece);
      continue;
    }
    if (wide.length > 0) bands.push(wide);
    wide = [];
    for (const piece of row) (piece.x < gutter.from ? left : right).push(piece);
  }
  if (wide.length > 0) bands.push(wide);
  endColumns();
  return bands;
}

/** Pieces by the height of their base, in steps of half a line. */
function rowsOf(pieces: readonly Piece[], usual: number): ReadonlyMap<number, readonly Piece[]> {
  const rows = new Map<number, Piece[]>();
  const step = Math.max(1, usual / 2);
  for (const piece of pieces) {
    if (piece.text.trim() === '') continue;
    const key = Math.round(piece.y / step);
    const row = rows.get(key);
    if (row === undefined) rows.set(key, [piece]);
    else row.push(piece);
  }
  return rows;
}

/** Steps across the page at which a gutter is looked for. */
const slots = 200;

/** The empty strip between two columns of prose; a table has cells that are short. */
function gutterOf(pieces: readonly Piece[], usual: number): { readonly from: number; readonly to: number } | undefined {
  const filled = pieces.filter(({ text }) => text.trim() !== '');
  if (filled.length < fewestRows * 2) return undefined;
  const [left, right] = [smallest(filled.map(({ x }) => x)), largest(filled.map(({ end }) => end))];
  const width = right - left;
  if (!(width > usual * 12)) return undefined;
  const rows = [...rowsOf(filled, usual).values()];
  // How many rows have text in each slot.
  const crossed = new Array<number>(slots).fill(0);
  for (const row of rows) {
    const seen = new Set<number>();
    for (const { x, end } of row) {
      const last = Math.min(slots - 1, Math.floor(((end - left) / width) * slots));
      for (let slot = Math.max(0, Math.floor(((x - left) / width) * slots)); slot <= last; slot += 1) seen.add(slot);
    }
    for (const slot of seen) crossed[slot] = (crossed[slot] ?? 0) + 1;
  }
  const few = rows.length * 0.34;
  let best: { from: number; to: number } | undefined;
  for (let from = Math.floor(slots * 0.2); from < slots * 0.8; from += 1) {
    let to = from;
    while (to < slots * 0.85 && (crossed[to] as number) <= few) to += 1;
    if (to > from && (best === undefined || to - from > best.to - best.from)) best = { from, to };
    from = Math.max(from, to);
  }
  if (best === undefined) return undefined;
  const gutter = { from: left + (best.from / slots) * width, to: left + (best.to / slots) * width };
  if (gutter.to - gutter.from < usual * 0.7) return undefined;
  const middle = (gutter.from + gutter.to) / 2;
  const isWide = (row: readonly Piece[]): boolean => row.some(({ x, end }) => x < middle && end > middle);
  const narrow = rows.filter((row) => !isWide(row));
  const fill = (side: (piece: Piece) => boolean, room: number): { readonly rows: number; readonly fill: number } => {
    const lengths = narrow.flatMap((row) => {
      const own = row.filter(side);
      if (own.length === 0) return [];
      return [largest(own.map(({ end }) => end)) - smallest(own.map(({ x }) => x))];
    });
    return { rows: lengths.length, fill: lengths.reduce((sum, length) => sum + length, 0) / lengths.length / room };
  };
  const sides = [fill(({ x }) => x < middle, gutter.from - left), fill(({ x }) => x >= middle, right - gutter.to)];
  return sides.every(({ rows: count, fill: share }) => count >= fewestRows && share > 0.6) ? gutter : undefined;
}

function joinLines(pieces: readonly Piece[], leftOut: LeftOutCounter): readonly Line[] {
  const lines: { text: GrowingText; y: number; x: number; height: number; end: number; marks: string[] }[] = [];
  /** The last large first letter: the lines beside it are not indented. */
  let drop: { readonly base: number; readonly left: number; readonly right: number } | undefined;
  for (const { text, x, y, end, height } of pieces) {
    const last = lines.at(-1);
    const isSame =
      last !== undefined &&
      x >= last.end - 3 &&
      (Math.abs(last.y - y) < Math.max(2, last.height / 2) || isScript({ text, x, y, end, height }, last));
    if (isSame) {
      const rise = y - last.y;
      const isRaised = (height < last.height * 0.8 && rise > last.height * 0.1) || rise > last.height * 0.3;
      const meaning = isRaised ? raisedAs(text, last.text.end) : undefined;
      if (meaning === 'note' && leftOut.leaves('notes')) {
        leftOut.count('notes', text, last.text.end.slice(-24));
        last.marks.push(text.trim());
        last.end = end;
        continue;
      }
      const isApart = x - last.end > last.height * 0.15 && !/\s$/u.test(last.text.end) && !/^\s/u.test(text);
      const isBegun = last.text.length > longestInitial;
      const beginning = last.text.end;
      last.text.add(`${isApart ? ' ' : ''}${typeof meaning === 'object' ? meaning.power : text}`);
      last.end = end;
      // A large first letter is beside the first line of its paragraph.
      const isInitial = !isBegun && !isApart && initial.test(beginning) && last.height > height * 1.4;
      if (isInitial) {
        drop = { base: last.y, left: last.x, right: x };
        last.y = y;
      }
      last.height = isInitial ? height : Math.max(last.height, height);
    } else if (text.trim() !== '') {
      const isBeside = drop !== undefined && y > drop.base - height / 2 && Math.abs(x - drop.right) < height / 2;
      lines.push({ text: new GrowingText(text), y, x: isBeside ? (drop?.left ?? x) : x, height, end, marks: [] });
    }
  }
  const margin = smallest(lines.map(({ x }) => x));
  return lines.map(({ text, marks, ...line }) => ({
    ...line,
    ...(marks.length === 0 ? {} : { marks }),
    margin,
    text: text.whole().replace(/\s+/gu, ' ').trim(),
  }));
}

/** Raised or lowered signs, right behind the line that they belong to. */
const isScript = ({ text, x, y, height }: Piece, line: Pick<Line, 'y' | 'end' | 'height'>): boolean =>
  text.trim().length <= 4 &&
  height <= line.height &&
  Math.abs(line.y - y) < line.height * 0.75 &&
  x - line.end < line.height * 0.3;

/** A large first letter, with marks around it. */
const longestInitial = 5;
const initial = /^["“‘«„'‹¿¡(—]{0,2}\p{Lu}['’]?$/u;
const openingMarks = /^["“‘«„'‹¿¡]{1,2}$/u;

/** Whether the rest of a word whose first letter is large is in the next line, without it being a sentence of its own. */
const goesOnBelow = (letter: Line, next: Line | undefined): boolean =>
  next !== undefined &&
  next.height < letter.height * 0.8 &&
  letter.y > next.y &&
  letter.y - next.y < letter.height * 1.5 + next.height &&
  (/^\p{Ll}/u.test(next.text) || /^\p{Lu}{2}/u.test(next.text));

/** Lines of a page in which large first letters are looked for; pages of books have a hundred. */
const mostLines = 2_000;

/** A large first letter belongs to the word beside it, wherever the file has it, or in the line below. */
function withInitials(lines: readonly Line[], usual: number): readonly Line[] {
  if (lines.length > mostLines) return lines;
  const result: (Line | undefined)[] = [...lines];
  for (const [index, letter] of lines.entries()) {
    if (!initial.test(letter.text) || letter.height < usual * 1.4) continue;
    const top = letter.y + letter.height;
    const isBeside = (line: Line): boolean =>
      line !== letter &&
      line.height < letter.height * 0.8 &&
      line.x >= letter.x + letter.height * 0.2 &&
      line.x - letter.end < letter.height * 2 &&
      line.y >= letter.y - usual * 0.5 &&
      line.y <= top;
    let best = -1;
    for (const [place, line] of result.entries())
      if (line !== undefined && isBeside(line) && line.y > (result[best]?.y ?? Number.NEGATIVE_INFINITY)) best = place;
    if (best === -1 && goesOnBelow(letter, lines[index + 1])) best = index + 1;
    const line = result[best];
    if (line === undefined) continue;
    const isBefore = (other: Line): boolean =>
      other.x < letter.x ? other.y >= letter.y - usual && other.y <= top : other === lines[index - 1];
    const mark = result.findIndex((other) => other !== undefined && openingMarks.test(other.text) && isBefore(other));
    const before = mark === -1 ? '' : (result[mark]?.text ?? '');
    const isWord = /[AIO]$/u.test(letter.text) && line.x - letter.end > usual * 0.2 && /^\p{Ll}{4}/u.test(line.text);
    const gap = isWord && letter.text.endsWith('I') ? ' ' : '';
    result[best] = { ...line, x: letter.x, text: `${before}${letter.text}${gap}${line.text}` };
    result[index] = undefined;
    // The lines beside it are not indented.
    for (const [place, other] of result.entries())
      if (place !== best && other !== undefined && isBeside(other)) result[place] = { ...other, x: letter.x };
    if (mark !== -1) result[mark] = undefined;
  }
  return result.filter((line) => line !== undefined);
}
