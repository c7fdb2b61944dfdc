/** Writes documents of other XML formats as HTML, element by element. */
import { readMarkup } from '../markup.ts';

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/**
 * HTML before and after an element; undefined leaves out the element with all that is in it, '' only its tags. `content` takes
 * the place of both.
 */
export type Mapping = (
  name: string,
  attributes: Readonly<Record<string, string>>,
  /** Names of the elements around it, the nearest last. */
  parents: readonly string[],
) => string | { readonly content: string } | undefined;

/**
 * @param map the opening tags of an element
 * @throws DocumentLimitError for elements that are nested too deeply
 */
export function xmlToHtml(xml: string, map: Mapping): string {
  const html: string[] = [];
  const closing: (string | undefined)[] = [];
  const parents: string[] = [];
  let hidden = 0;
  readMarkup(xml, 'xml', {
    open(name, attributes) {
      const lower = name.toLowerCase();
      const mapped = hidden > 0 ? undefined : map(lower, attributes, parents);
      const tags = typeof mapped === 'object' ? undefined : mapped;
      if (typeof mapped === 'object') html.push(mapped.content);
      parents.push(lower);
      if (tags === undefined) hidden += 1;
      else html.push(tags);
      closing.push(tags);
    },
    text(text) {
      if (hidden === 0) html.push(escapeHtml(text));
    },
    close() {
      const tags = closing.pop();
      parents.pop();
      if (tags === undefined) hidden -= 1;
      else if (tags !== '') html.push(endOf(tags));
    },
  });
  return html.join('');
}

/** Closing tags by opening ones, of which a format has few. */
const ends = new Map<string, string>();

function endOf(tags: string): string {
  const known = ends.get(tags);
  if (known !== undefined) return known;
  const names = [...tags.matchAll(/<([a-z]\w{0,19})/g)].reverse();
  const end = names.map(([, name]) => (name === 'br' ? '' : `</${name}>`)).join('');
  ends.set(tags, end);
  return end;
}
