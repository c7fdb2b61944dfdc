/** Meaning of HTML tags to a listener, in Markdown and in text that was pasted. */

type Pause = 'line' | 'item' | 'paragraph' | 'heading' | 'rule';

export interface HtmlTag {
  readonly name: string;
  readonly isEnd: boolean;
  /** Pause that it suggests; undefined inside a line. */
  readonly pause: Pause | undefined;
  readonly kind: 'block' | 'cell' | 'inline' | 'silent' | 'unknown';
}

/** Names of tags by their kind and pause. */
const names: readonly (readonly [kind: HtmlTag['kind'], pause: Pause | undefined, names: string])[] = [
  ['block', 'heading', 'h1 h2 h3 h4 h5 h6'],
  ['block', 'item', 'li dt dd tr figcaption summary option caption'],
  [
    'block',
    'paragraph',
    `p div section article header footer main aside blockquote pre figure ul ol dl table address details center form fieldset
    thead tbody tfoot nav body html hgroup dialog menu`,
  ],
  ['block', 'rule', 'hr'],
  ['block', 'line', 'br'],
  ['cell', undefined, 'td th'],
  [
    'inline',
    undefined,
    `a b i em strong span code u s sub sup small big mark kbd del ins q cite abbr var font tt strike samp time data label dfn
    bdi bdo wbr ruby rb rt rp button output meter progress img input picture source map area col colgroup acronym`,
  ],
  ['silent', undefined, 'script style template noscript svg math head iframe object audio video'],
];
const tags = new Map(
  names.flatMap(([kind, pause, list]) => list.split(/\s+/).map((name) => [name, { kind, pause }] as const)),
);
/** Nothing inside is spoken. */
export const silentTags: ReadonlySet<string> = new Set(
  [...tags.keys()].filter((name) => tags.get(name)?.kind === 'silent'),
);

/** @returns undefined for a comment and what else is no tag */
export function htmlTagOf(written: string): HtmlTag | undefined {
  const [, slash = '', given = ''] = /^<(\/?)([A-Za-z][A-Za-z0-9-]{0,20})/.exec(written) ?? [];
  if (given === '') return undefined;
  const name = given.toLowerCase();
  const isEnd = slash !== '';
  const { kind = 'unknown', pause } = tags.get(name) ?? {};
  // Text before a heading is a paragraph of its own.
  return { name, isEnd, pause: pause === 'heading' && !isEnd ? 'paragraph' : pause, kind };
}

/** Whether it is the parameter of a type, as in `optional<T>`: one letter behind a name, and no tag that is closed. */
export const isTypeParameter = (written: string, before: string, isClosed: (end: string) => boolean): boolean =>
  /^<[A-Z]>$/.test(written) && /\w$/.test(before) && !isClosed(`</${written[1]}>`);

const digits = '0123456789+-−';
const raisedDigits = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻';

/** The content of `<sup>` as raised digits, or a letter that stands for a number; undefined for other content. */
export function raised(content: string): string | undefined {
  if (/^[nkxmijt]$/.test(content)) return `^${content}`;
  if (!/^[-+−]?\d{1,6}$/.test(content)) return undefined;
  return [...content].map((digit) => raisedDigits[digits.indexOf(digit)]).join('');
}
