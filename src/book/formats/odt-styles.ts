/** Styles of an OpenDocument text that hide or raise what has them. */
import { readMarkup } from '../markup.ts';
import { inherited } from './word-styles.ts';

export type OdtStyles = ReturnType<typeof readOdtStyles>;

/** @param parts XML of the document and of its style sheet */
export function readOdtStyles(parts: readonly string[]) {
  const hidden = new Map<string, boolean>();
  const raised = new Map<string, boolean>();
  const parents = new Map<string, string>();
  let open: string | undefined;
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
  const by =
    (own: ReadonlyMap<string, boolean>) =>
    (style: string | undefined): boolean =>
      inherited(style, parents, (name) => own.get(name)) ?? false;
  return { isHidden: by(hidden), isRaised: by(raised) };
}
