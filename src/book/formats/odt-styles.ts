/** Styles of an OpenDocument text that hide or raise what has them. */
import { readMarkup } from '../markup.ts';
import { inherited } from './word-styles.ts';

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
  return {
    isHidden: (style) => inherited(style, parents, (own) => hidden.get(own)) ?? false,
    isRaised: (style) => inherited(style, parents, (own) => raised.get(own)) ?? false,
  };
}
