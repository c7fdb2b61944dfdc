/** Styles of an OpenDocument text that hide what has them. */
import { readMarkup } from '../markup.ts';

const mostParents = 20;

/** @param parts XML of the document and of its style sheet */
export function hiddenStyles(parts: readonly string[]): (style: string | undefined) => boolean {
  const own = new Map<string, boolean>();
  const parents = new Map<string, string>();
  let open: string | undefined;
  for (const xml of parts) {
    readMarkup(
      xml,
      {
        onopentag(name, attributes) {
          if (name === 'style:style') {
            open = attributes['style:name'];
            const parent = attributes['style:parent-style-name'];
            if (open !== undefined && parent !== undefined) parents.set(open, parent);
          }
          const display = attributes['text:display'];
          if (name === 'style:text-properties' && open !== undefined && display !== undefined)
            own.set(open, display === 'none');
        },
        onclosetag(name) {
          if (name === 'style:style') open = undefined;
        },
      },
      { xmlMode: true },
    );
  }
  return (given) => {
    let style = given;
    for (let steps = 0; style !== undefined && steps < mostParents; steps += 1) {
      const hides = own.get(style);
      if (hides !== undefined) return hides;
      style = parents.get(style);
    }
    return false;
  };
}
