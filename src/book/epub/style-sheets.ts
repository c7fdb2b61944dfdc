/** What the style sheets of a page hide. */

import { decodePage } from '../decode-page.ts';
import type { IsHidden } from '../html-segments.ts';
import { readMarkup } from '../markup.ts';
import type { Archive } from './archive.ts';
import { resolvePath } from './package-document.ts';

/** A compound selector such as `p.note`; selectors with relations or states don't count. */
interface Selector {
  readonly element: string | undefined;
  readonly id: string | undefined;
  readonly classes: readonly string[];
}

interface DisplayRule extends Selector {
  readonly hides: boolean;
  /** Of two rules about an element, the one with more weight counts, else the later one. */
  readonly weight: number;
  readonly order: number;
}

type WrittenRule = Omit<DisplayRule, 'order'>;

/** Characters of a sheet; those of books have a hundred thousand at most. */
const largestSheet = 1024 * 1024;
const mostRules = 2_000;
const mention = /display\s{0,9}:\s{0,9}none/i;

/** Rules about the display of elements, in order; none of a sheet that is nested more deeply than any real one. */
async function displayRules(css: string): Promise<readonly WrittenRule[]> {
  if (css.length > largestSheet || !mention.test(css)) return [];
  try {
    return await readRules(css);
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

async function readRules(css: string): Promise<readonly WrittenRule[]> {
  const [{ default: parse }, { default: walk }] = await Promise.all([
    import('css-tree/parser'),
    import('css-tree/walker'),
  ]);
  const rules: WrittenRule[] = [];
  const sheet = parse(css, { parseValue: false, parseAtrulePrelude: false, onParseError: () => undefined });
  walk(sheet, {
    visit: 'Rule',
    enter(rule) {
      const { atrule } = this;
      if (rules.length >= mostRules || rule.prelude.type !== 'SelectorList') return;
      // Others are for printers, or for one make of reader.
      if (atrule !== null && !(atrule.name === 'media' && isScreen(atrule.prelude))) return;
      let display: { readonly hides: boolean; readonly isImportant: boolean } | undefined;
      for (const declaration of rule.block.children) {
        if (declaration.type !== 'Declaration' || declaration.property.toLowerCase() !== 'display') continue;
        const value = declaration.value.type === 'Raw' ? declaration.value.value.trim().toLowerCase() : '';
        display = { hides: value === 'none', isImportant: declaration.important !== false };
      }
      if (display === undefined) return;
      for (const selector of rule.prelude.children) {
        const read = selector.type === 'Selector' ? selectorOf([...selector.children]) : undefined;
        if (read !== undefined)
          rules.push({ ...read, hides: display.hides, weight: weightOf(read, display.isImportant) });
      }
    },
  });
  return rules;
}

const isScreen = (prelude: { readonly type: string; readonly value?: string } | null): boolean =>
  /^\s*(?:only\s+)?(?:all|screen)\s*$/i.test(prelude?.value ?? '');

function selectorOf(parts: readonly { readonly type: string; readonly name?: unknown }[]): Selector | undefined {
  const named = (type: string): readonly string[] =>
    parts.filter((part) => part.type === type).map(({ name }) => String(name));
  const [elements, ids, classes] = [named('TypeSelector'), named('IdSelector'), named('ClassSelector')];
  if (elements.length + ids.length + classes.length < parts.length || parts.length === 0) return undefined;
  const element = elements[0]?.toLowerCase();
  if (element === 'body' || element === 'html' || ids.length > 1) return undefined;
  return { element: element === '*' ? undefined : element, id: ids[0], classes };
}

const weightOf = ({ element, id, classes }: Selector, isImportant: boolean): number =>
  (isImportant ? 1e6 : 0) + (id === undefined ? 0 : 1e4) + Math.min(99, classes.length) * 100 + (element ? 1 : 0);

/** Undefined for a page whose sheets hide nothing. */
function hiddenBy(written: readonly WrittenRule[]): IsHidden | undefined {
  const rules = written.map((rule, order) => ({ ...rule, order }));
  if (!rules.some(({ hides }) => hides)) return undefined;
  // By what an element needs for a rule, so that a page with many elements meets few rules.
  const byKey = new Map<string, DisplayRule[]>();
  for (const rule of rules) {
    const key = keyOf(rule);
    byKey.set(key, [...(byKey.get(key) ?? []), rule]);
  }
  return (name, attributes) => {
    const classes = attributes.class?.split(/\s+/) ?? [];
    const keys = ['', `#${attributes.id ?? ''}`, name, ...new Set(classes.map((one) => `.${one}`))];
    let found: DisplayRule | undefined;
    for (const rule of keys.flatMap((key) => byKey.get(key) ?? [])) {
      if (
        found !== undefined &&
        (rule.weight < found.weight || (rule.weight === found.weight && rule.order < found.order))
      )
        continue;
      if (rule.element !== undefined && rule.element !== name) continue;
      if (rule.id !== undefined && rule.id !== attributes.id) continue;
      if (rule.classes.every((one) => classes.includes(one))) found = rule;
    }
    return found?.hides === true;
  };
}

const keyOf = ({ id, classes, element }: Selector): string =>
  id === undefined ? (classes[0] === undefined ? (element ?? '') : `.${classes[0]}`) : `#${id}`;

/** Reads the sheets of pages, each sheet once. */
export function createStyleReader(archive: Archive): (page: string, folder: string) => Promise<IsHidden | undefined> {
  const sheets = new Map<string, Promise<readonly WrittenRule[]>>();
  const read = async (path: string): Promise<readonly WrittenRule[]> => {
    const name = archive.find(path);
    // A sheet that is missing or damaged hides nothing.
    const bytes =
      name && archive.size(name) <= largestSheet ? await archive.read(name).catch(() => undefined) : undefined;
    return bytes === undefined ? [] : displayRules(decodePage(bytes));
  };
  return async (page, folder) => {
    const rules: WrittenRule[] = [];
    for (const style of stylesOf(page)) {
      if ('css' in style) rules.push(...(await displayRules(style.css)));
      else {
        const path = resolvePath(folder, style.href);
        const sheet = sheets.get(path) ?? read(path);
        sheets.set(path, sheet);
        rules.push(...(await sheet));
      }
    }
    return hiddenBy(rules);
  };
}

type Style = { readonly href: string } | { readonly css: string };

/** In the head of a page. */
function stylesOf(page: string): readonly Style[] {
  const end = page.search(/<(?:\w{1,9}:)?body[\s>]/i);
  const styles: Style[] = [];
  let css: string | undefined;
  readMarkup(
    end === -1 ? page.slice(0, largestSheet) : page.slice(0, end),
    {
      onopentag(name, { rel = '', href, media = '' }) {
        if (name.endsWith('style')) css = '';
        const isSheet = name.endsWith('link') && /\bstylesheet\b/i.test(rel) && !/\balternate\b/i.test(rel);
        if (isSheet && href !== undefined && /^$|all|screen/i.test(media.trim())) styles.push({ href });
      },
      ontext(text) {
        if (css !== undefined) css += text;
      },
      onclosetag() {
        if (css !== undefined) styles.push({ css });
        css = undefined;
      },
    },
    { lowerCaseTags: true, recognizeSelfClosing: true },
  );
  return styles;
}
