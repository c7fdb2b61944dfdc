/** Elements that the style sheets of a page hide, or show in a line of their own. */
import { decodePage } from '../decode-page.ts';
import type { Display } from '../html-segments.ts';
import { readMarkup } from '../markup.ts';
import type { Archive } from './archive.ts';
import { resolvePath } from './package-document.ts';

/** A compound selector such as `p.note`; selectors with relations or states don't count. */
interface Selector {
  readonly element: string | undefined;
  readonly id: string | undefined;
  /** Each once, in order. */
  readonly classes: readonly string[];
}

/** As CSS names it, in coarse. */
type Shown = 'hidden' | 'block' | 'inline';

interface DisplayRule extends Selector {
  readonly shown: Shown;
  /** Weight of a rule: of two about an element the heavier one counts, else the later one. */
  readonly weight: number;
}

/** Characters of a sheet; those of books have a hundred thousand at most. */
const largestSheet = 1024 * 1024;
const mostRules = 2_000;
const mostSheets = 50;
/** Brackets inside each other: css-tree reads a rule again for each of them. */
const mostNesting = 32;
/** Classes of a selector, and of an element among those that rules name; others don't count. */
const mostClasses = { selector: 3, element: 8 } as const;
const mention =
  /display\s{0,9}:\s{0,9}(?:none|block|flex|grid|list-item|table)|visibility\s{0,9}:\s{0,9}(?:hidden|collapse)/i;
const blockValue = /^(?:inline-)?(?:block|flex|grid|table)$|^(?:flow-root|list-item)$/;

/** Rules about the display of elements, in order; none of a sheet that is nested more deeply than any real one. */
async function displayRules(css: string): Promise<readonly DisplayRule[]> {
  if (css.length > largestSheet || !mention.test(css) || nestingOf(css) > mostNesting) return [];
  const [{ default: parse }, { default: walk }] = await Promise.all([
    import('css-tree/parser'),
    import('css-tree/walker'),
  ]);
  const rules: DisplayRule[] = [];
  const sheet = parse(css, {
    parseValue: false,
    parseAtrulePrelude: false,
    // Selectors inside selectors take css-tree exponential time; those that count have none.
    parseRulePrelude: false,
    onParseError: () => undefined,
  });
  walk(sheet, {
    visit: 'Rule',
    enter(rule) {
      const { atrule } = this;
      if (rules.length >= mostRules || rule.prelude.type !== 'Raw') return;
      // Others are for printers, or for one make of reader.
      if (atrule !== null && !(atrule.name === 'media' && isScreen(atrule.prelude))) return;
      let display: { readonly shown: Shown; readonly isImportant: boolean } | undefined;
      for (const declaration of rule.block.children) {
        if (declaration.type !== 'Declaration') continue;
        const property = declaration.property.toLowerCase();
        if (property !== 'display' && property !== 'visibility') continue;
        const value = declaration.value.type === 'Raw' ? declaration.value.value.trim().toLowerCase() : '';
        const isImportant = declaration.important !== false;
        if (property === 'visibility') {
          if (/^(?:hidden|collapse)$/.test(value)) display = { shown: 'hidden', isImportant };
        } else if (display?.shown !== 'hidden')
          display = { shown: value === 'none' ? 'hidden' : blockValue.test(value) ? 'block' : 'inline', isImportant };
      }
      if (display === undefined) return;
      for (const written of rule.prelude.value.split(',', mostRules - rules.length)) {
        const read = selectorOf(written.trim());
        if (read !== undefined)
          rules.push({ ...read, shown: display.shown, weight: weightOf(read, display.isImportant) });
      }
    },
  });
  return rules;
}

/** The most brackets that are open at once, those of strings and comments included. */
function nestingOf(css: string): number {
  let depth = 0;
  let most = 0;
  for (const [bracket] of css.matchAll(/[()[\]{}]/g)) {
    depth = Math.max(0, depth + (/[([{]/.test(bracket) ? 1 : -1));
    most = Math.max(most, depth);
  }
  return most;
}

const isScreen = (prelude: { readonly type: string; readonly value?: string } | null): boolean =>
  /^\s*(?:only\s+)?(?:all|screen)\s*$/i.test(prelude?.value ?? '');

const compound = /^(\*|[\w-]{1,60})?((?:[.#][^\s.#:,>+~*[\]()\\/]{1,200}){0,9})$/u;

function selectorOf(written: string): Selector | undefined {
  const [, given = '', parts = ''] = compound.exec(written) ?? [];
  const names = parts.match(/[.#][^.#]+/gu) ?? [];
  const ids = names.filter((name) => name.startsWith('#')).map((name) => name.slice(1));
  const classes = new Set(names.filter((name) => name.startsWith('.')).map((name) => name.slice(1)));
  const element = given.toLowerCase();
  if (given === '' && names.length === 0) return undefined;
  if (element === 'body' || element === 'html' || ids.length > 1 || classes.size > mostClasses.selector)
    return undefined;
  return { element: element === '*' || element === '' ? undefined : element, id: ids[0], classes: [...classes].sort() };
}

const weightOf = ({ element, id, classes }: Selector, isImportant: boolean): number =>
  (isImportant ? 1e6 : 0) + (id === undefined ? 0 : 1e4) + Math.min(99, classes.length) * 100 + (element ? 1 : 0);

/** Name, id and classes that a rule demands of an element. */
const keyOf = ({ element = '', id = '', classes }: Selector): string => `${element}#${id}.${classes.join('.')}`;

/**
 * Finds the rule of an element by what it needs, in time that doesn't grow with the number of rules.
 *
 * @returns undefined for a page whose sheets say nothing about it
 */
function displayBy(rules: readonly DisplayRule[]): Display | undefined {
  if (rules.every(({ shown }) => shown === 'inline')) return undefined;
  const byKey = new Map<string, DisplayRule & { readonly order: number }>();
  const named = { ids: new Set<string | undefined>(), classes: new Set<string>() };
  for (const [order, rule] of rules.entries()) {
    const key = keyOf(rule);
    const before = byKey.get(key);
    if (before === undefined || rule.weight >= before.weight) byKey.set(key, { ...rule, order });
    if (rule.id !== undefined) named.ids.add(rule.id);
    for (const name of rule.classes) named.classes.add(name);
  }
  const decided = new Map<string, Shown | undefined>();
  return (name, attributes) => {
    const id = named.ids.has(attributes.id) ? attributes.id : undefined;
    const own = new Set((attributes.class ?? '').split(/\s+/).filter((one) => named.classes.has(one)));
    const element = { element: name, id, classes: [...own].sort().slice(0, mostClasses.element) };
    const key = keyOf(element);
    if (decided.has(key)) return decided.get(key);
    let found: (DisplayRule & { readonly order: number }) | undefined;
    for (const selector of selectorsFor(element)) {
      const rule = byKey.get(keyOf(selector));
      const heavier = (rule?.weight ?? 0) - (found?.weight ?? -1) || (rule?.order ?? 0) - (found?.order ?? 0);
      if (rule !== undefined && heavier > 0) found = rule;
    }
    decided.set(key, found?.shown);
    return found?.shown;
  };
}

function* selectorsFor({ element, id, classes }: Selector): Generator<Selector> {
  for (const some of choicesOf(classes, mostClasses.selector)) {
    yield { element, id: undefined, classes: some };
    yield { element: undefined, id: undefined, classes: some };
    if (id === undefined) continue;
    yield { element, id, classes: some };
    yield { element: undefined, id, classes: some };
  }
}

/** All choices of at most so many of them, in their order. */
function* choicesOf(names: readonly string[], most: number): Generator<readonly string[]> {
  yield [];
  if (most === 0) return;
  for (const [index, name] of names.entries())
    for (const others of choicesOf(names.slice(index + 1), most - 1)) yield [name, ...others];
}

export async function displayOfSheets(sheets: readonly string[]): Promise<Display | undefined> {
  const rules: DisplayRule[] = [];
  for (const sheet of sheets) for (const rule of await displayRules(sheet)) rules.push(rule);
  return displayBy(rules);
}

export function displayOfPage(page: string): Promise<Display | undefined> {
  const styles = stylesOf(page).slice(0, mostSheets);
  return displayOfSheets(styles.flatMap((style) => ('css' in style ? [style.css] : [])));
}

/** Reads the sheets of pages, each sheet once. */
export function createStyleReader(archive: Archive): (page: string, folder: string) => Promise<Display | undefined> {
  const sheets = new Map<string, Promise<readonly DisplayRule[]>>();
  const read = async (path: string): Promise<readonly DisplayRule[]> => {
    const name = archive.find(path);
    // A sheet that is missing or damaged hides nothing.
    const bytes =
      name && archive.size(name) <= largestSheet ? await archive.read(name).catch(() => undefined) : undefined;
    return bytes === undefined ? [] : displayRules(decodePage(bytes));
  };
  /** Display of the last sheets; most pages of a book have the same. */
  let last: { readonly key: string; readonly display: Display | undefined } | undefined;
  return async (page, folder) => {
    const rules: DisplayRule[] = [];
    const styles = stylesOf(page).slice(0, mostSheets);
    const key = JSON.stringify([folder, styles]);
    if (last?.key === key) return last.display;
    for (const style of styles) {
      if ('css' in style) rules.push(...(await displayRules(style.css)));
      else {
        const path = resolvePath(folder, style.href);
        const sheet = sheets.get(path) ?? read(path);
        sheets.set(path, sheet);
        rules.push(...(await sheet));
      }
      if (rules.length >= mostRules) break;
    }
    const display = displayBy(rules.slice(0, mostRules));
    last = { key, display };
    return display;
  };
}

type Style = { readonly href: string } | { readonly css: string };

/** In the head of a page. */
function stylesOf(page: string): readonly Style[] {
  const end = page.search(/<(?:\w{1,9}:)?body[\s>]/i);
  const styles: Style[] = [];
  let css: string | undefined;
  readMarkup(end === -1 ? page.slice(0, largestSheet) : page.slice(0, end), 'xhtml', {
    open(name, { rel = '', href, media = '' }) {
      if (name.endsWith('style')) css = '';
      const isSheet = name.endsWith('link') && /\bstylesheet\b/i.test(rel) && !/\balternate\b/i.test(rel);
      if (isSheet && href !== undefined && /^$|all|screen/i.test(media.trim())) styles.push({ href });
    },
    text(text) {
      if (css !== undefined) css += text;
    },
    close() {
      if (css !== undefined) styles.push({ css });
      css = undefined;
    },
  });
  return styles;
}
