/** Places of a text that are offsets, as elements with ids. */

export interface Place {
  /** In the text as bytes. */
  readonly offset: number;
  readonly id: string;
}

/** @param source in which each character is a byte */
export function withAnchors(source: string, places: readonly Place[]): string {
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
  if (!isInside && source[offset] !== '<') return offset;
  // A place in front of an end tag is where it is.
  if (!isInside && source[offset + 1] === '/') return offset;
  const end = source.indexOf('>', offset);
  return end === -1 || end - offset > longestTag ? offset : end + 1;
}
