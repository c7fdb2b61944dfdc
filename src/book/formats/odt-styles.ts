/** Styles of an OpenDocument text that hide or raise what has them. */
import { readMarkup } from '../markup.ts';

const mostParents = 20;

type StyleName = string | undefined;

export interface OdtStyles {
  isHidden(style: StyleName): boolean;
  isRaised(style: StyleName): boolean;
}

/** @param parts XML of the document and of its style sheet */
export function readOdtStyles(parts: readonly string[]): OdtStyles {
  const hidden = new Map<string, boolean>();
  const raised = new Map<string, boolean>();
  const parents = new Map<string, string>();
  let open: StyleName;
  for (const xml of parts) {
    readMarkup(xml, 'xml', {
      open(name, attributes) {
        if (name === 'style:style') {
          open = attributes['style:name'];
          const parent = attributes['style:parent-style-name'];
          if (open !== undefined && parent !== undefined) parents.set(open, parent);
        }
        if (name !== 'style:text-properties' || open === undefined) return;
        const { 'text:display': display, 'style:text-position': position } = attributes;
        if (display !== undefined) hidden.set(open, display === 'none');
        if (position !== undefined) raised.set(open, /^(?:super|[1-9])/.test(position.trim()));
      },
      close(name) {
        if (name === 'style:style') open = undefined;
      },
    });
  }
  const inherited =
    (own: ReadonlyMap<string, boolean>) =>
    (given: StyleName): boolean => {
      let style = given;
      for (let steps = 0; style !== undefined && steps < mostParents; steps += 1) {
        const value = own.get(style);
        if (value !== undefined) return value;
        style = parents.get(style);
      }
      return false;
    };
  return { isHidden: inherited(hidden), isRaised: inherited(raised) };
}
