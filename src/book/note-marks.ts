/** Marks of notes, page and line numbers, and powers, as pages have them without saying so. */
import { type KeptKind, leftOutKinds } from './left-out.ts';

/** Types of marks and of notes, by `epub:type` or `role`. */
const noteTypes = new Set(
  'noteref footnote footnotes endnote endnotes rearnote rearnotes doc-noteref doc-footnote doc-endnote doc-endnotes'.split(
    ' ',
  ),
);
/** The same by class, as in EPUB 2. */
const noteClasses = new Set(
  `noteref note-ref note_ref fnanchor fnref footnote-ref footnote_ref footnoteref footnote-link footnote-anchor footnote footnotes
  endnote endnotes rearnote rearnotes fnote fn-text footnote-text footnotetext footnote-body`.split(/\s+/),
);
const contentsTypes = new Set('toc landmarks page-list loi lot loa lov doc-toc doc-pagelist'.split(' '));
const indexTypes = new Set('index doc-index'.split(' '));
const copyrightTypes = new Set('copyright-page imprint colophon doc-colophon'.split(' '));
const pageTypes = new Set('pagebreak doc-pagebreak'.split(' '));
const pageClasses = new Set(
  'pagenum pagenumber page-number page_number pagenumbers pageno page-no pagebreak page-break pgnum'.split(' '),
);
const lineClasses = new Set('lnum linenum linenumber line-number line_number lineno line-no ln'.split(' '));

const some = (words: string, set: ReadonlySet<string>): boolean =>
  words !== '' && words.split(/\s+/).some((word) => set.has(word));

type Attributes = Readonly<Record<string, string | undefined>>;

/** Kind of an element that listeners would skip; undefined if its content may be read. Readers of other formats state it. */
export function leftOutAs(attributes: Attributes): KeptKind | undefined {
  const types = `${attributes['epub:type'] ?? ''} ${attributes.role ?? ''}`.trim().toLowerCase();
  const classes = (attributes.class ?? '').toLowerCase();
  const stated = attributes['data-left-out'];
  if (stated !== undefined) return leftOutKinds.find((kind) => kind === stated);
  if (some(types, noteTypes) || some(classes, noteClasses)) return 'notes';
  if (some(types, pageTypes)) return 'page-numbers';
  if (some(types, contentsTypes)) return 'contents';
  if (some(types, indexTypes)) return 'index';
  if (some(types, copyrightTypes) || some(classes, boilerplate)) return 'copyright';
  if (contentsClass.test(classes) || contentsId.test(attributes.id ?? '')) return 'contents';
  if (indexClass.test(classes)) return 'index';
  if (commentClass.test(classes)) return 'comments';
  if (some(classes, surroundings)) return 'surroundings';
  if (runningHead.test(attributes.title ?? '')) return 'page-numbers';
  const isHidden = attributes.hidden !== undefined || attributes['aria-hidden'] === 'true';
  return isHidden || hiding.test(attributes.style ?? '') ? 'hidden' : undefined;
}

const hiding =
  /(?:(?:display\s{0,9}:\s{0,9}none|mso-hide\s{0,9}:\s{0,9}all)|visibility\s{0,9}:\s{0,9}(?:hidden|collapse))/i;
/** Contents of pages that Word and LibreOffice have saved; indexes, comments and running heads of the latter. */
const contentsClass = /(?:^|\s)(?:msotoc(?:\d|heading)|contents_20_(?:\d{1,2}|heading))(?:\s|$)/;
const indexClass = /(?:^|\s)index_20_(?:\d{1,2}|heading|separator)(?:\s|$)/;
const commentClass = /(?:^|\s)annotation_style_by_filter(?:\s|$)/;
const contentsId = /^Table of Contents\d{1,3}$/;
const runningHead = /^(?:header|footer)$/;
/** Classes of MediaWiki beside an article. */
const surroundings = new Set(['mw-editsection', 'mw-jump-link', 'noprint', 'navbox']);
/** Classes of Project Gutenberg. */
const boilerplate = new Set(['pg-boilerplate']);

/** Kind of a short element with a number, by its class. */
export function numberedAs(classNames: string | undefined): KeptKind | undefined {
  const classes = (classNames ?? '').toLowerCase();
  if (some(classes, pageClasses)) return 'page-numbers';
  return some(classes, lineClasses) ? 'line-numbers' : undefined;
}

export const longestNumber = 30;

const printedNumber = /^[\s[({]{0,5}(?:p(?:age|g|\.)?\.?\s{0,5})?[\divxlcdm]{1,10}[\s\])}.]{0,5}$/i;

export const isPrintedNumber = (text: string): boolean => printedNumber.test(text);

/** `[Pg 12]` in the middle of a text. */
export const writtenPage = /\[(?:pg|p|page)\.? ?[\divxlc]{1,8}\]/gi;

export const longestMark = 12;

const inBrackets = /^[[({（〔［]\s?(?:\d{1,4}|[*†‡§¶#]{1,3}|[a-z]|[ivxlc]{1,6}|note \d{1,4})\s?[\])}）〕］]$/i;
const sign = /^(?:[*†‡§¶‖#⁎∗※]{1,3}|[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4})$/u;
const number = /^\d{1,4}$/;
const letter = /^[a-z]$/i;
const roman = /^[ivx]{1,6}$/;
/** A word or a sentence ends with it, and the mark follows without a space. */
const attached = /[\p{L}\p{M}.,;:!?…"'”’»)\]」』。、，！？]$/u;

/**
 * Whether a link to a place is the mark of a note.
 *
 * @param text of the link
 * @param before the end of what is spoken before it; empty at the beginning of a paragraph
 */
export function isLinkedMark(text: string, before: string, where: 'raised' | 'in line'): boolean {
  const mark = text.trim();
  // A note's own number, which leads back.
  if (before.trim() === '') return false;
  if (inBrackets.test(mark) || sign.test(mark)) return true;
  if (where === 'raised') return number.test(mark) || letter.test(mark);
  return (number.test(mark) || roman.test(mark)) && attached.test(before) && !before.endsWith('第');
}

export const isBackLink = (text: string): boolean => {
  const mark = text.trim();
  const isArrow = /^[↩↑←⏎^][\uFE0E\uFE0F]?(?:\s?\d{1,4})?$/u.test(mark);
  return isArrow || inBrackets.test(mark) || sign.test(mark) || number.test(mark);
};

export const beginsWithMark = (text: string, mark: string): boolean => {
  const bare = (written: string): string => written.replace(/[\s[\](){}.（）〔〕［］:]/gu, '');
  const label = bare(mark);
  const start = bare(text.slice(0, 40));
  return label !== '' && start.startsWith(label) && !/^\d/.test(/\d$/.test(label) ? start.slice(label.length) : '');
};

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const unitBefore = /(?<![\p{L}\p{M}])(?:[cdkmnµμ]?m|km|ft|yd|mi|s|[a-zA-Z]|[\p{sc=Grek}][a-z]?)$/u;
const year = /(?<!\d)(?:1[4-9]|20)\d\d$/;
/** `(as above)`, but not `(a + b)`. */
const endsWithWords = (before: string): boolean =>
  before.endsWith(')') && /\p{L}{3}/u.test(before.slice(before.lastIndexOf('(')));

/**
 * Raised text: a power such as `10⁶` in signs that are spoken as one, the mark of a note, or undefined for text that stays
 * as it is, such as `21st`.
 *
 * @param before the end of what is spoken before it
 */
export function raisedAs(text: string, before: string): { readonly power: string } | 'note' | undefined {
  const raised = text.trim().replace('−', '-').replace('–', '-');
  if (before === '' || raised === '') return undefined;
  if (/^(?:\[\w{1,4}\]|\(\d{1,3}\)|[*†‡§¶‖#⁎∗※]{1,3})$/u.test(raised)) return 'note';
  if (roman.test(raised) && /\p{L}{3}$|[.,;:!?…)"”’»]$/u.test(before)) return 'note';
  if (/^[nxk]$/.test(raised) && /\d$/.test(before)) return { power: `^${raised}` };
  if (!/^-?\d{1,6}$/.test(raised) || /\s$/.test(before)) return undefined;
  const isNegative = raised.startsWith('-');
  const isNumber = /[\p{N}\p{Pe}]$/u.test(before) && !year.test(before) && !endsWithWords(before);
  if (isNegative || isNumber || unitBefore.test(before))
    return { power: [...raised].map((digit) => (digit === '-' ? '⁻' : superscripts[Number(digit)])).join('') };
  return 'note';
}
