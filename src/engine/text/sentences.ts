/**
 * Splits paragraphs into sentences. `Intl.Segmenter` follows Unicode (UAX 29), which ends a sentence after "Dr.", "J."
 * and "No." and depends on locale data that differs between ICU releases, so this file has its own rules, with a table
 * of cases in the tests.
 */
import {
  closingAbbreviations,
  doubtfulAbbreviations,
  numberAbbreviations,
  openAbbreviations,
  sentenceStarters,
} from './abbreviations.ts';

/** Marks that always end a sentence, with or without a space after them. */
const plainMarks = '؟۔।॥။។៕።፧։';
/** All marks that may end a sentence, for a character class. */
export const sentenceMarks = `.!?…。！？｡．${plainMarks}`;
/** The Greek question mark looks like a semicolon and is canonically equivalent to one. */
const terminators = new RegExp(String.raw`[${sentenceMarks}]+|(?<=\p{Script=Greek}{2})[;\u037e]`, 'gu');
const closers = /["'”’»›)\]}」』）】》〉〕］｝]*/uy;
const wideTerminator = new RegExp(`[。！？｡．${plainMarks}]`, 'u');
/** Scripts without upper case and mostly without spaces. */
const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const openers = /^["'“‘«‹([{（「『《【〈¿¡*_]+/u;
/** Cannot start a sentence, so the previous one continues. */
const continuation = /^[,;:，；：、)\]}）】」』》’”]/u;
const closingQuote = /["'”’»」』]/u;
/** `他说，` and `小明笑着问道。` after a quote, but not the 道 of 知道. */
const reportedSpeech = /^\p{Script=Han}{0,6}?(?:[说說问問喊叫答想笑]|(?<!知)道)[道着了]?[，。：、！,.:!]/u;
const closingBracket = /[)\]}）】》〉〕］｝]/u;
const openingBracket = /^\s*[([{（【《〈〔［｛]/u;
/** Maximum lookaround of a rule, to stay linear in text without spaces. */
const reach = 48;
const longestBracket = 300;

const brackets: Readonly<Record<string, string>> = {
  '(': ')',
  '[': ']',
  '{': '}',
  '（': '）',
  '【': '】',
  '《': '》',
};

/** Start and end of a sentence in its text, including surrounding white space. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Yields the sentences of a paragraph, which together cover it, in linear time. */
export function* sentencesOf(text: string): Generator<Span> {
  let start = 0;
  const insideBrackets = bracketTracker(text);
  const quotes = quoteCounter(text);
  for (const match of text.matchAll(terminators)) {
    const marksEnd = match.index + match[0].length;
    const end = endOfClosers(text, marksEnd, quotes(marksEnd));
    if (end >= text.length) break;
    const mark: Mark = { text, sentenceStart: start, start: match.index, marksEnd, end };
    if (insideBrackets(match.index, end) || !endsSentence(mark)) continue;
    yield { start, end };
    start = end;
  }
  if (start < text.length) yield { start, end: text.length };
}

interface Mark {
  readonly text: string;
  readonly sentenceStart: number;
  readonly start: number;
  /** End of the terminating marks. */
  readonly marksEnd: number;
  /** End of closing quotes and brackets after them. */
  readonly end: number;
}

/** A straight quote closes if one is open; otherwise it opens the next sentence. */
function endOfClosers(text: string, from: number, quoteIsOpen: boolean): number {
  closers.lastIndex = from;
  const found = closers.exec(text)?.[0] ?? '';
  const straight = found.indexOf('"');
  if (straight === -1 || quoteIsOpen) return from + found.length;
  const follows = text[from + found.length];
  return follows === undefined || /\s/.test(follows) ? from + found.length : from + straight;
}

/** Tells whether a straight double quote is open at a place; places must ascend. */
function quoteCounter(text: string): (place: number) => boolean {
  let next = text.indexOf('"');
  let open = false;
  return (place) => {
    while (next !== -1 && next < place) {
      open = !open;
      next = text.indexOf('"', next + 1);
    }
    return open;
  };
}

/** Tells whether a mark is inside a short pair of brackets; places must ascend. */
function bracketTracker(text: string): (start: number, end: number) => boolean {
  const found = text.matchAll(/[([{（【《]/g);
  let next = found.next();
  let closedAt = -1;
  return (start, end) => {
    while (!next.done && next.value.index < start) {
      const { index, 0: opener } = next.value;
      const close = text.slice(index, index + longestBracket).indexOf(brackets[opener] as string);
      if (close !== -1) closedAt = Math.max(closedAt, index + close);
      next = found.next();
    }
    return end <= closedAt;
  };
}

function endsSentence(mark: Mark): boolean {
  const { text, sentenceStart, start, marksEnd, end } = mark;
  const marks = text.slice(start, marksEnd);
  const following = text.slice(end, end + reach);
  const spaced = /^\s/.test(following);
  const rest = following.trimStart();
  if (rest === '') return true;
  if (continuation.test(rest)) return false;
  const quoted = closingQuote.test(text.slice(marksEnd, end));
  const next = rest.replace(openers, '');

  if (wideTerminator.test(marks)) {
    if (marks === '．' && /\p{N}/u.test(next[0] ?? '')) return false;
    // A remark in brackets belongs to its sentence, unless it is a separate sentence.
    const remark = closingBracket.test(text.slice(marksEnd, end));
    if (remark && !openingBracket.test(text.slice(sentenceStart, sentenceStart + reach))) return false;
    return !(quoted && reportedSpeech.test(rest));
  }
  if (/…|\.\./.test(marks)) return (spaced || quoted) && !startsLower(next) && !(quoted && reportedSpeech.test(rest));
  if (!spaced) {
    const afterWord = /[\p{L}"')”’]/u.test(text[start - 1] ?? '');
    return eastAsian.test(next[0] ?? '') && (afterWord || marks !== '.') && !(quoted && reportedSpeech.test(rest));
  }
  if (marks !== '.') return !(quoted && startsLower(next));
  return !startsLower(next) && !isAbbreviated(mark, next);
}

const startsLower = (text: string): boolean => /^\p{Ll}/u.test(text);

const startsUsually = (text: string): boolean =>
  sentenceStarters.has((/^[\p{L}'’]+/u.exec(text)?.[0] ?? '').toLowerCase().replace('’', "'"));

/** Whether the period belongs to the word before it; `next` is the following text without opening punctuation. */
function isAbbreviated({ text, sentenceStart, start, end, marksEnd }: Mark, next: string): boolean {
  const from = Math.max(sentenceStart, start - reach);
  const word = /[\p{Script=Latin}\p{N}.'’&-]*$/u.exec(text.slice(from, start))?.[0] ?? '';
  // `1.`, `a.` and `iv.` before a sentence number it.
  const alone = text.slice(from, start).trim() === word && from === sentenceStart;
  if (alone && /^(?:\d{1,3}|\p{L}|[ivx]{1,4}|[IVX]{1,4}|\d{1,3}(?:\.\d{1,3})+)$/u.test(word)) return true;
  if (end > marksEnd) return false;
  return isAbbreviation(word, next);
}

/** Whether `word` before a period is an abbreviation that does not end its sentence. */
export function isAbbreviation(word: string, next: string): boolean {
  const lower = word.toLowerCase();
  if (openAbbreviations.has(lower)) return true;
  if (numberAbbreviations.has(lower)) return /^[#\d]|^[IVXLC]+\b/.test(next);
  if (closingAbbreviations.has(lower)) return false;
  // Initials and letters with periods: `J. R. R.`, `U.S.`
  const letters = /^\p{Lu}$|^(?:\p{L}\.)+\p{L}$/u.test(word);
  return (letters || doubtfulAbbreviations.has(lower)) && !startsUsually(next);
}
