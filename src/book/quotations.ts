/** Quotations, paragraph by paragraph. */
import { speechVerbs } from './speech-verbs.ts';

export interface Quotation {
  /** Offsets in the paragraph, marks included. */
  readonly start: number;
  readonly end: number;
  /** Whether it is probably spoken, and not a word or a title between marks. */
  readonly isSpeech: boolean;
}

/** Marks that close what an opening one begins: in German, “ closes and » opens. */
const closing: Readonly<Record<string, string>> = {
  '“': '”',
  '„': '“”',
  '«': '»',
  '»': '«',
  '"': '"',
  '‘': '’',
  '‚': '‘’',
  '‹': '›',
  '›': '‹',
  '”': '”',
  '「': '」',
  '『': '』',
};
/** Apostrophes look the same. */
const apostrophes = new Set(['‘', '’']);
/** These both open and close, so that what is around them decides. */
const twofold = new Set(['"', '”', ...apostrophes]);

const letter = /(?!\p{Script=Han})[\p{L}\p{N}]/u;
const opens = /^$|[\s([{—–-]/u;

/** Without those inside another one. An open one lasts to the end of the paragraph, as speeches of several paragraphs do. */
export function quotationsIn(paragraph: string): readonly Quotation[] {
  const found: Quotation[] = [];
  /** Marks that nothing closes from here on, so that each paragraph is read once. */
  const unclosed = new Set<string>();
  for (let at = 0; at < paragraph.length; at += 1) {
    const open = paragraph[at] as string;
    const ends = closing[open];
    if (ends === undefined || unclosed.has(open)) continue;
    if (twofold.has(open) && !opens.test(paragraph[at - 1] ?? '')) continue;
    const close = closeOf(paragraph, at, ends);
    if (close === -1) {
      unclosed.add(open);
      // Elsewhere it is an apostrophe, or a mark of inches.
      if (at > 0 || !/[“„«"「]/.test(open)) continue;
    }
    const end = close === -1 ? paragraph.length : close + 1;
    found.push({ start: at, end, isSpeech: isSpeech(paragraph, at, end) });
    at = end - 1;
  }
  return found;
}

function closeOf(paragraph: string, start: number, ends: string): number {
  for (let at = start + 1; at < paragraph.length; at += 1) {
    const mark = paragraph[at] as string;
    if (!ends.includes(mark)) continue;
    if (!(twofold.has(mark) && letter.test(paragraph[at + 1] ?? '')) && !isApostrophe(paragraph, at)) return at;
  }
  return -1;
}

/** As in `the boys’ caps`: what is said ends with a mark of its own, or a verb of speech follows. */
const isApostrophe = (paragraph: string, at: number): boolean =>
  apostrophes.has(paragraph[at] as string) &&
  !/[.,;:!?…—–-]/u.test(paragraph[at - 1] as string) &&
  /^\s?\p{Ll}/u.test(paragraph.slice(at + 1, at + 3)) &&
  !speechVerbs.test(sentenceBehind(paragraph, at + 1));

const fewWords = 4;

function isSpeech(paragraph: string, start: number, end: number): boolean {
  const said = paragraph.slice(start + 1, end - 1).trim();
  if (/[.,;:!?…—–。！？，、：；]$/u.test(said)) return true;
  if (start === 0 && end === paragraph.length) return true;
  if (verbBeside(paragraph, start, end)) return true;
  const words = said.split(/\s+/u).length;
  return words > fewWords || (/\p{Script=Han}|\p{Script=Hiragana}/u.test(said) && said.length > 2 * fewWords);
}

/** Characters on each side of a quotation in which its speaker is named. */
const nearby = 60;

/** The words around a quotation, up to others. */
export const wordsBefore = (paragraph: string, start: number): string =>
  paragraph.slice(Math.max(0, start - nearby), start);
export const wordsBehind = (paragraph: string, end: number): string => paragraph.slice(end, end + nearby);

const sentenceBehind = (paragraph: string, end: number): string =>
  wordsBehind(paragraph, end).split(/[.!?]/)[0] as string;

const verbBeside = (paragraph: string, start: number, end: number): boolean =>
  speechVerbs.test(sentenceBehind(paragraph, end)) ||
  speechVerbs.test(wordsBefore(paragraph, start).split(/[.!?]/).at(-1) as string);
