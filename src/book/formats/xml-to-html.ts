/** Writes documents of other XML formats as HTML, element by element. */
import { readMarkup } from '../markup.ts';

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** HTML before and after an element; undefined leaves out the element with all that is in it, '' only its tags. */
export type Mapping = (name: string, attributes: Readonly<Record<string, string>>) => string | undefined;

/**
 * @param map the opening tags of an element
 * @throws RangeError for elements that are nested too deeply
 */
export function xmlToHtml(xml: string, map: Mapping): string {
  const html: string[] = [];
  const closing: (string | undefined)[] = [];
  let hidden = 0;
  readMarkup(
    xml,
    {
      onopentag(name, attributes) {
        const tags = hidden > 0 ? undefined : map(name.toLowerCase(), attributes);
        if (tags === undefined) hidden += 1;
        else html.push(tags);
        closing.push(tags);
      },
      ontext(text) {
        if (hidden === 0) html.push(escapeHtml(text));
      },
      onclosetag() {
        const tags = closing.pop();
        if (tags === undefined) hidden -= 1;
        else if (tags !== '')
          html.push(
            ...[...tags.matchAll(/<([a-z]\w{0,19})/g)].reverse().map(([, name]) => (name === 'br' ? '' : `</${name}>`)),
          );
      },
    },
    { xmlMode: true },
  );
  return html.join('');
}
