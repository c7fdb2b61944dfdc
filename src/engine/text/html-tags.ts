/** Meaning of HTML tags to a listener, in Markdown and in text that was pasted. */

type Pause = 'line' | 'item' | 'paragraph' | 'heading' | 'rule';

const pauses = new Map<string, Pause>([
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, 'heading'] as const),
  ...['li', 'dt', 'dd', 'tr', 'figcaption', 'summary', 'option', 'caption'].map((name) => [name, 'item'] as const),
  ...`p div section article header footer main aside blockquote pre figure ul ol dl table address details center form fieldset
  thead tbody tfoot nav body html hgroup dialog menu`
    .trim()
    .split(/\s+/)
    .map((name) => [name, 'paragraph'] as const),
  ['hr', 'rule'],
  ['br', 'line'],
]);
const inline = new Set(
  `a b i em strong span code u s sub sup small big mark kbd del ins q cite abbr var font tt strike samp time data label dfn
  bdi bdo wbr ruby rb rt rp button output meter progress img input picture source map area col colgroup acronym`
    .trim()
    .split(/\s+/),
);
const cells = new Set(['td', 'th']);
/** Nothing inside is spoken. */
export const silentTags: ReadonlySet<string> = new Set(
  'script style template noscript svg math head iframe object audio video'.split(' '),
);

export interface HtmlTag {
  readonly name: string;
  readonly isEnd: boolean;
  /** Pause that it suggests; undefined inside a line. */
  readonly pause: Pause | undefined;
  readonly kind: 'block' | 'cell' | 'inline' | 'silent' | 'unknown';
}

/** @returns undefined for a comment and what else is no tag */
export function htmlTagOf(written: string): HtmlTag | undefined {
  const [, slash = '', given = ''] = /^<(\/?)([A-Za-z][A-Za-z0-9-]{0,20})/.exec(written) ?? [];
  if (given === '') return undefined;
  const name = given.toLowerCase();
  const isEnd = slash !== '';
  const pause = pauses.get(name);
  const kind = silentTags.has(name)
    ? 'silent'
    : pause !== undefined
      ? 'block'
      : cells.has(name)
        ? 'cell'
        : inline.has(name)
          ? 'inline'
          : 'unknown';
  // Text before a heading is a paragraph of its own.
  return { name, isEnd, pause: pause === 'heading' && !isEnd ? 'paragraph' : pause, kind };
}

/** Whether it is the parameter of a type, as in `optional<T>`: one letter behind a name, and no tag that is closed. */
export const isTypeParameter = (written: string, before: string, isClosed: (end: string) => boolean): boolean =>
  /^<[A-Z]>$/.test(written) && /\w$/.test(before) && !isClosed(`</${written[1]}>`);

const raisedDigits: Readonly<Record<string, string>> = Object.fromEntries(
  [...'0123456789+-−'].map((character, index) => [character, [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻'][index] as string]),
);

/** The content of `<sup>` as raised digits, or a letter that stands for a number; undefined for other content. */
export const raised = (content: string): string | undefined =>
  /^[-+−]?\d{1,6}$/.test(content)
    ? [...content].map((digit) => raisedDigits[digit]).join('')
    : /^[nkxmijt]$/.test(content)
      ? `^${content}`
      : undefined;
