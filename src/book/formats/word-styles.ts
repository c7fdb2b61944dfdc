/** Styles of a Word document: what they hide, and which are those of headings, contents and index. */
import type { KeptKind } from '../left-out.ts';
import { readMarkup } from '../markup.ts';

export type WordStyles = ReturnType<typeof readWordStyles>;
type StyleId = string | undefined;

/** Names of built-in styles are the same in all languages. */
const contents = /^(?:toc \d|toc heading|table of (?:figures|authorities)|toa heading|contents? (?:heading|\d))$/i;
const index = /^(?:index \d|index heading)$/i;
/** Contents in documents without a list of styles. */
const contentsId = /^TOC(?:\d|Heading)$/;
const mostParents = 20;
/** Outline level of text. */
export const textLevel = 9;
const builtIn = /^heading (\d)$/i;

/** The value of the nearest style that has one, from the style itself to those that it is based on. */
export function inherited<Value>(
  given: string | undefined,
  parents: ReadonlyMap<string, string>,
  ownValue: (style: string) => Value | undefined,
): Value | undefined {
  let style = given;
  for (let steps = 0; style !== undefined && steps < mostParents; steps += 1) {
    const own = ownValue(style);
    if (own !== undefined) return own;
    style = parents.get(style);
  }
  return undefined;
}

/** @param xml of `word/styles.xml`; empty for a document without it */
export function readWordStyles(xml: string) {
  const names = new Map<string, string>();
  const parents = new Map<string, string>();
  const hidden = new Map<string, boolean>();
  const levels = new Map<string, number>();
  let id: string | undefined;
  readMarkup(xml, 'xml', {
    open(written, attributes) {
      const name = written.slice(written.indexOf(':') + 1);
      const value = (key: string): string | undefined =>
        Object.entries(attributes).find(([own]) => own.slice(own.indexOf(':') + 1) === key)?.[1];
      if (name === 'style') id = value('styleId');
      if (id === undefined) return;
      const own = value('val');
      if (name === 'name' && own !== undefined) names.set(id, own);
      if (name === 'basedOn' && own !== undefined) parents.set(id, own);
      if (name === 'outlineLvl') levels.set(id, Number(own));
      if (name === 'vanish') hidden.set(id, !/^(?:0|false|off)$/i.test(own ?? ''));
    },
    close(written) {
      if (written.endsWith('style')) id = undefined;
    },
  });
  return {
    isHidden: (given: StyleId): boolean => inherited(given, parents, (style) => hidden.get(style)) ?? false,
    /** Kind of the paragraphs of a style that listeners would skip. */
    matterOf(given: StyleId): KeptKind | undefined {
      if (given === undefined) return undefined;
      const name = names.get(given) ?? given;
      if (contents.test(name) || contentsId.test(given)) return 'contents';
      return index.test(name) ? 'index' : undefined;
    },
    /** Level of the headings of an author's own style, from 1; undefined for built-in ones and for text. */
    headingOf(given: StyleId): number | undefined {
      if (builtIn.test(names.get(given ?? '') ?? '')) return undefined;
      const level = inherited(given, parents, (style) => {
        const [, number] = builtIn.exec(names.get(style) ?? '') ?? [];
        return levels.get(style) ?? (number === undefined ? undefined : Number(number) - 1);
      });
      return level === undefined || !(level < textLevel) ? undefined : level + 1;
    },
  };
}
