/** Elements of a page by their meaning to a listener. */
import { silentTags } from '../engine/text/html-tags.ts';
import { meaningOf } from '../word-lists.ts';

/** Begins the names of marks of headings; the level follows, or nothing at the end of one. */
export const headingMark = '\u0000heading-';

/** Nothing inside is spoken, unless its kind is kept. Some have text in their place, where they cannot be shown. */
export const silentKinds = meaningOf({
  readings: 'rt rtc rp',
  contents: 'nav',
  forms: 'textarea select datalist',
  hidden: 'template dialog',
  embedded: 'svg iframe object audio video canvas meter progress noscript',
});
export const silent: ReadonlySet<string> = new Set([...silentTags, ...silentKinds.keys()]);
/** Elements whose content is no text of the page. */
export const wordless: ReadonlySet<string> = new Set(['script', 'style', 'head', 'rp']);

export const pauseKinds = meaningOf({
  heading: 'h1 h2 h3 h4 h5 h6',
  item: 'li dt dd tr figcaption',
  rule: 'hr',
  line: 'br',
});
/** Elements between paragraphs. */
export const blocks: ReadonlySet<string> = new Set(
  `p div section article header footer main aside blockquote pre figure ul ol dl table caption address center form fieldset legend
  details summary label button dialog hgroup search`.split(/\s+/),
);
/** Elements that may hold a note. */
export const noteBodies: ReadonlySet<string> = new Set('p li dd dt div aside td tr'.split(' '));
