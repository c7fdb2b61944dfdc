/** Places of a text that are offsets, as elements with ids. */
import { sanitizeLine } from '../../messages.ts';
import type { Entry } from '../epub/contents.ts';
import type { IndexTable, Values } from './index-records.ts';

/** The pages of a Mobipocket or Kindle book as one page of HTML, with its table of contents. */
export interface MobiText {
  readonly html: string;
  readonly sheets: readonly string[];
  readonly contents: readonly Entry[];
}

interface Place {
  /** In the text as bytes. */
  readonly offset: number;
  readonly id: string;
}

interface Links {
  /** Undefined for an entry of the contents without a place. */
  readonly offsetOfEntry: (values: Values) => number | undefined;
  /** Finds links, whose groups name their places. */
  readonly reference: RegExp;
  readonly offsetOf: (first: string, second: string) => number;
  readonly linkTo: (id: string) => string;
}

/** A text with ids at the places of its contents and links. @param source in which each character is a byte */
export function withLinks(
  source: string,
  table: IndexTable,
  { offsetOfEntry, reference, offsetOf, linkTo }: Links,
): { readonly marked: string; readonly contents: readonly Entry[] } {
  const places: Place[] = [];
  const contents: Entry[] = [];
  for (const { values } of table.entries) {
    const title = sanitizeLine(table.text(values.get(3)?.[0]));
    const offset = offsetOfEntry(values);
    if (title === '' || offset === undefined) continue;
    contents.push({ title, id: `toc${offset}`, depth: (values.get(4)?.[0] ?? 0) + 1 });
    places.push({ offset, id: `toc${offset}` });
  }
  for (const [, first = '', second = ''] of source.matchAll(reference)) {
    const offset = offsetOf(first, second);
    places.push({ offset, id: `pos${offset}` });
  }
  const marked = withAnchors(source, places).replace(reference, (_, first: string, second: string) =>
    linkTo(`pos${offsetOf(first, second)}`),
  );
  return { marked, contents };
}

function withAnchors(source: string, places: readonly Place[]): string {
  const sorted = places
    .filter(({ offset }) => offset >= 0 && offset <= source.length)
    .map(({ offset, id }) => ({ at: betweenTags(source, offset), id }))
    .sort((one, other) => one.at - other.at);
  const parts: string[] = [];
  let end = 0;
  const seen = new Set<string>();
  for (const { at, id } of sorted) {
    if (seen.has(id)) continue;
    seen.add(id);
    parts.push(source.slice(end, at), `<span id="${id}"></span>`);
    end = at;
  }
  return parts.join('') + source.slice(end);
}

/** Characters of a tag. */
const longestTag = 2_000;

/** Offset after the tag that begins there, or that the offset is in. */
function betweenTags(source: string, offset: number): number {
  const before = source.slice(Math.max(0, offset - longestTag), offset);
  const isInside = before.lastIndexOf('<') > before.lastIndexOf('>');
  // A place in front of an end tag is where it is.
  if (!isInside && (source[offset] !== '<' || source[offset + 1] === '/')) return offset;
  const end = source.indexOf('>', offset);
  return end === -1 || end - offset > longestTag ? offset : end + 1;
}
