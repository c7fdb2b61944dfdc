/** Numbers and letters of the items of a list in one line, such as `1. First item 2. Second item`. */
import { pattern } from './pattern.ts';
import type { Span } from './span.ts';

export interface ItemMarker extends Span {
  /** Whether a sentence begins with it, wherever the text before it ends. */
  readonly begins: boolean;
}

const bullets = '•⁃◦‣▪●';
/** `1.`, `1)`, `1.)`, `(1)`, the same with a small letter or a small Roman numeral, behind a bullet or not; a bullet alone. */
const marker = pattern(
  'gu',
)`(?<!\S)(?:([${bullets}])[ \u00a0]?)?(?:(\()(\d{1,3}|[a-z]|[ivx]{1,5})\)|(\d{1,3}|[a-z]|[ivx]{1,5})(\.\)|[.)]))(?=\s+\S)|(?<!\S)([${bullets}])(?=\s*[^\s${bullets}])`;
/** After these an item may begin, and so may the list. */
const beginning = /(?:^|[.!?:;…。！？：；]["'”’)\]]*)\s*$/u;
/** After these a sentence continues: `to buy: a) bread, b) milk`, `vom 1. bis 2. Mai`. */
const continuing = /(?:[,;:，；：、]|(?<!\p{L})(?:and|or|to|und|oder|bis|et|ou|y|o|e|och|og|en|of|и|или))\s*$/iu;
/** How much of the text before a marker shows what it is. */
const reach = 12;

const numerals = 'i ii iii iv v vi vii viii ix x xi xii xiii xiv xv'.split(' ');

/** The readings of a marker: `i` is a letter and a numeral. */
function valuesOf(written: string): readonly (readonly [kind: string, value: number])[] {
  if (/^\d/.test(written)) return [['number', Number(written)]];
  const numeral = numerals.indexOf(written);
  return [
    ...(written.length === 1 ? [['letter', written.charCodeAt(0)] as const] : []),
    ...(numeral === -1 ? [] : [['numeral', numeral] as const]),
  ];
}

interface Run {
  last: number;
  readonly markers: ItemMarker[];
}

/**
 * The markers of lists with at least two items, in order. A list begins where a sentence may, and its numbers count up.
 *
 * @example itemMarkers('1. First item 2. Second item').map(({ start }) => start) // [0, 14]
 */
export function itemMarkers(text: string): readonly ItemMarker[] {
  const runs = new Map<string, Run>();
  const complete = new Map<number, ItemMarker>();
  for (const match of text.matchAll(marker)) {
    const { 0: found, 1: bullet = '', 2: opening = '', 3: inside, 4: bare, 5: closing = '', 6: alone, index } = match;
    const before = text.slice(Math.max(0, index - reach), index);
    const item = { start: index, end: index + found.length, begins: !continuing.test(before) };
    const values = alone === undefined ? valuesOf(inside ?? bare ?? '') : [['bullet', 0] as const];
    for (const [kind, value] of values) {
      const form = [kind, bullet, alone, opening, closing].join(' ');
      const run = runs.get(form);
      if (run !== undefined && (kind === 'bullet' || value === run.last + 1)) {
        run.last = value;
        run.markers.push(item);
        if (run.markers.length === 2) for (const one of run.markers) complete.set(one.start, one);
        else complete.set(item.start, item);
      } else if (beginning.test(before)) {
        runs.set(form, { last: value, markers: [item] });
      }
    }
  }
  return [...complete.values()].sort((one, other) => one.start - other.start);
}
