/** Styles of a Word document: what they hide, and which are those of contents and index. */
import type { KeptKind } from '../left-out.ts';
import { readMarkup } from '../markup.ts';

export interface WordStyles {
  isHidden(id: string | undefined): boolean;
  /** Kind of the paragraphs of a style that listeners would skip. */
  matterOf(id: string | undefined): KeptKind | undefined;
}

/** Names of built-in styles are the same in all languages. */
const contents = /^(?:toc \d|toc heading|table of (?:figures|authorities)|toa heading|contents? (?:heading|\d))$/i;
const index = /^(?:index \d|index heading)$/i;
/** Contents in documents without a list of styles. */
const contentsId = /^TOC(?:\d|Heading)$/;
const mostParents = 20;

/** @param xml of `word/styles.xml`; empty for a document without it */
export function readWordStyles(xml: string): WordStyles {
  const names = new Map<string, string>();
  const parents = new Map<string, string>();
  const hidden = new Map<string, boolean>();
  let id: string | undefined;
  readMarkup(
    xml,
    {
      onopentag(written, attributes) {
        const name = written.slice(written.indexOf(':') + 1);
        const value = (key: string): string | undefined =>
          Object.entries(attributes).find(([own]) => own.slice(own.indexOf(':') + 1) === key)?.[1];
        if (name === 'style') id = value('styleId');
        if (id === undefined) return;
        const own = value('val');
        if (name === 'name' && own !== undefined) names.set(id, own);
        if (name === 'basedOn' && own !== undefined) parents.set(id, own);
        if (name === 'vanish') hidden.set(id, !/^(?:0|false|off)$/i.test(own ?? ''));
      },
      onclosetag(written) {
        if (written.endsWith('style')) id = undefined;
      },
    },
    { xmlMode: true },
  );
  return {
    isHidden(given) {
      let style = given;
      for (let steps = 0; style !== undefined && steps < mostParents; steps += 1) {
        const own = hidden.get(style);
        if (own !== undefined) return own;
        style = parents.get(style);
      }
      return false;
    },
    matterOf(given) {
      if (given === undefined) return undefined;
      const name = names.get(given) ?? given;
      if (contents.test(name) || contentsId.test(given)) return 'contents';
      return index.test(name) ? 'index' : undefined;
    },
  };
}
