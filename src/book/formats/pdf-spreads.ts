/** Sheets of a PDF that show two pages side by side, as scans of open books and booklets for printing have them. */
import type { TextItem } from './pdf-lines.ts';

/** A page of the file. */
export interface Sheet {
  readonly items: readonly TextItem[];
  /** In points. */
  readonly width: number;
  readonly height: number;
  /** Where it begins, from the left. */
  readonly left: number;
}

/** A page of the book. */
export interface SheetPage {
  readonly items: readonly TextItem[];
  /** Index of its sheet. */
  readonly sheet: number;
}

const widest = 1.2;
/** Sheets, and rows on both sides of most of them. */
const [fewestSheets, fewestRows] = [2, 5];
/** Share of sheets that the middle parts; share of a side that its lines fill. */
const [leastParted, leastFilled] = [0.9, 0.45];

export const isLandscape = ({ width, height }: Sheet): boolean => width > height * widest;

const filled = ({ items }: Sheet): readonly TextItem[] => items.filter(({ str }) => str.trim() !== '');
const startOf = ({ transform }: TextItem): number => transform[4] ?? 0;
const middleOf = ({ left, width }: Sheet): number => left + width / 2;

function sidesOf(sheet: Sheet): readonly [left: readonly TextItem[], right: readonly TextItem[]] {
  const middle = middleOf(sheet);
  const items = filled(sheet);
  return [items.filter((item) => startOf(item) < middle), items.filter((item) => startOf(item) >= middle)];
}

/** Whether no line crosses the middle. */
const isParted = (sheet: Sheet): boolean =>
  filled(sheet).every((item) => startOf(item) >= middleOf(sheet) || startOf(item) + item.width <= middleOf(sheet));

/** Whether a side has lines of prose, no cells of a table. */
function hasProse(side: readonly TextItem[], { width }: Sheet): boolean {
  const rows = new Map<number, { from: number; to: number }>();
  for (const item of side) {
    const key = Math.round((item.transform[5] ?? 0) / 3);
    const row = rows.get(key) ?? { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY };
    row.from = Math.min(row.from, startOf(item));
    row.to = Math.max(row.to, startOf(item) + item.width);
    rows.set(key, row);
  }
  const lengths = [...rows.values()].map(({ from, to }) => to - from).sort((one, other) => one - other);
  return lengths.length >= fewestRows && (lengths[lengths.length >> 1] ?? 0) > (width / 2) * leastFilled;
}

/** @returns the pages of the book in their order: left and right, or as a booklet is folded */
export function pagesOfSheets(sheets: readonly Sheet[]): readonly SheetPage[] {
  const whole = sheets.map(({ items }, sheet): SheetPage => ({ items, sheet }));
  const wide = sheets.filter((sheet) => isLandscape(sheet) && filled(sheet).length > 0);
  const parted = wide.filter(isParted);
  const facing = parted.filter((sheet) => sidesOf(sheet).every((side) => hasProse(side, sheet)));
  if (wide.length < fewestSheets || parted.length < wide.length * leastParted || facing.length < wide.length / 2)
    return whole;
  const pages = sheets.flatMap((sheet, index): readonly SheetPage[] =>
    isLandscape(sheet) && isParted(sheet)
      ? sidesOf(sheet).map((items) => ({ items, sheet: index }))
      : whole.slice(index, index + 1),
  );
  return folded(pages) ?? pages;
}

const mostHighest = 3;
const mostPages = 10_000;

/** The number that a page has at one of its edges. */
function printedNumber({ items }: SheetPage): number | undefined {
  const heights = items.map(({ transform }) => transform[5] ?? 0).sort((one, other) => one - other);
  const [low = 0, high = 0] = [heights[0], heights.at(-1)];
  const edges = items.filter(({ transform: [, , , , , y = 0] }) => y - low < mostHighest || high - y < mostHighest);
  const numbers = edges.flatMap(({ str }) => /^\s{0,9}[-–—]?\s?(\d{1,4})\s?[-–—]?\s{0,9}$/.exec(str)?.[1] ?? []);
  return numbers.length === 1 ? Number(numbers[0]) : undefined;
}

/** The pages of a booklet, whose numbers have the same sum on each sheet; undefined for others. */
function folded(pages: readonly SheetPage[]): readonly SheetPage[] | undefined {
  const numbers = pages.map(printedNumber);
  const sums = new Map<number, number>();
  for (const [index, page] of pages.entries()) {
    const [own, next] = [numbers[index], numbers[index + 1]];
    if (own === undefined || next === undefined || pages[index + 1]?.sheet !== page.sheet) continue;
    sums.set(own + next, (sums.get(own + next) ?? 0) + 1);
  }
  const [[sum, count] = [0, 0], ...others] = [...sums];
  if (count < fewestSheets || others.length > 0) return undefined;
  const places = pages.map((page, index) => {
    const isRight = pages[index - 1]?.sheet === page.sheet;
    const facing = numbers[isRight ? index - 1 : index + 1];
    const number = numbers[index] ?? (facing === undefined ? undefined : sum - facing);
    return { page, number, isRight };
  });
  const known = new Set(places.map(({ number }) => number));
  const missing = Array.from({ length: Math.min(sum, mostPages) }, (_, index) => index + 1).filter(
    (number) => number < sum && !known.has(number),
  );
  // A cover and the last page have no numbers; odd ones are at the right.
  const numberOf = ({ number, isRight }: (typeof places)[number]): number | undefined =>
    number ?? (missing.length === 2 ? missing.find((own) => own % 2 === (isRight ? 1 : 0)) : undefined);
  const placed = places.map((place) => ({ page: place.page, number: numberOf(place) }));
  if (placed.some(({ number }) => number === undefined)) return undefined;
  return placed.sort((one, other) => (one.number ?? 0) - (other.number ?? 0)).map(({ page }) => page);
}
