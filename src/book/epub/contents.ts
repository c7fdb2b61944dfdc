/** The table of contents of an EPUB. */
import { sanitizeLine } from '../../messages.ts';
import { GrowingText } from '../growing-text.ts';
import { HeadingWords } from '../heading-words.ts';
import type { Display } from '../html-segments.ts';
import { visitXml } from '../markup.ts';
import { fragmentOf, resolvePath } from './package-document.ts';

export interface Entry {
  readonly title: string;
  /** Id of an element of its page; empty for the beginning of the page. */
  readonly id: string;
  /** Level of nesting, from 1. */
  readonly depth: number;
}

/** Entries by path and id. */
export type Entries = ReadonlyMap<string, ReadonlyMap<string, Entry>>;
type OpenEntries = Map<string, Map<string, Entry>>;

/** Characters of a title, and levels of entries, that no table of contents has. */
const longestTitle = 10_000;
const deepest = 20;

/** The first entry of a place is its title. */
function addEntry(entries: OpenEntries, path: string, { title, id, depth }: Entry): void {
  const places = entries.get(path) ?? new Map<string, Entry>();
  const shown = places.has(id) ? '' : sanitizeLine(title);
  if (shown === '') return;
  entries.set(path, places.set(id, { title: shown, id, depth: Math.min(deepest, depth) }));
}

/** Entries of EPUB 3's navigation document. @param folder of the document in the archive */
export function navigationEntries(xml: string, folder: string): Entries {
  const entries: OpenEntries = new Map();
  let depth = 0;
  let isContents = false;
  let target: string | undefined;
  let label = new GrowingText();
  let words = new HeadingWords();
  visitXml(xml, {
    open(name, attributes) {
      // A document may hold lists of pages and landmarks too.
      if (name === 'nav') isContents = /\btoc\b/.test(attributes['epub:type'] ?? attributes.role ?? 'toc');
      if (name === 'ol') depth += 1;
      words.open(name, attributes.style);
      if (name !== 'a' || !isContents) return;
      target = attributes.href;
      label = new GrowingText();
      words = new HeadingWords();
    },
    text(text) {
      if (label.length < longestTitle) label.add(words.before(label.end, text) + text.slice(0, longestTitle));
    },
    close(name) {
      words.close(name);
      if (name === 'ol') depth -= 1;
      if (name !== 'a' || target === undefined) return;
      addEntry(entries, resolvePath(folder, target), { title: label.whole(), id: fragmentOf(target), depth });
      target = undefined;
    },
  });
  return entries;
}

/**
 * Entries of EPUB 2's navigation: its map alone, as the lists of printed pages and of illustrations have places of their own.
 *
 * @param folder of the document in the archive
 */
export function ncxEntries(xml: string, folder: string): Entries {
  const entries: OpenEntries = new Map();
  let depth = 0;
  let lists = 0;
  let label = '';
  visitXml(xml, {
    open(name, attributes) {
      if (name === 'pagelist' || name === 'navlist') lists += 1;
      if (name === 'navpoint') depth += 1;
      if (name === 'navlabel') label = '';
      if (name === 'br') label += ' ';
      if (name !== 'content' || depth === 0 || lists > 0 || attributes.src === undefined) return;
      addEntry(entries, resolvePath(folder, attributes.src), { title: label, id: fragmentOf(attributes.src), depth });
    },
    text(text) {
      if (label.length < longestTitle) label += text.slice(0, longestTitle);
    },
    close(name) {
      if (name === 'navpoint') depth -= 1;
      if (name === 'pagelist' || name === 'navlist') lists -= 1;
    },
  });
  return entries;
}

const lettersOf = (title: string): string => title.replace(/[^\p{L}\p{M}\p{N}]+/gu, '');

/** Gives titles of the contents as headings of their page have them: programs glue the parts of a heading in contents. */
export function spacedAs(headings: readonly string[]): (title: string) => string {
  const byLetters = new Map(headings.map((heading) => [lettersOf(heading), heading]));
  return (title) => {
    const heading = byLetters.get(lettersOf(title)) ?? '';
    return heading.length > title.length ? heading : title;
  };
}

/** The headings of a page. @param display how the style sheets of the page show elements */
export function headingsOf(page: string, display?: Display): readonly string[] {
  const headings: string[] = [];
  let content = new GrowingText();
  let isHeading = false;
  let words = new HeadingWords();
  visitXml(page, {
    open: (name, attributes) => {
      if (/^h[1-3]$/.test(name)) {
        content = new GrowingText();
        isHeading = true;
        words = new HeadingWords();
      } else words.open(name, display?.(name, attributes) === 'block' ? 'display:block' : attributes.style);
    },
    text: (text) => {
      if (isHeading) content.add(words.before(content.end, text) + text);
    },
    close: (name) => {
      words.close(name);
      if (!/^h[1-3]$/.test(name)) return;
      const heading = sanitizeLine(content.whole());
      if (heading !== '') headings.push(heading);
      isHeading = false;
    },
  });
  return headings;
}
