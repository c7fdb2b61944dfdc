/**
 * Splits paragraphs into sentences. `Intl.Segmenter` follows Unicode (UAX 29), which ends a sentence after "Dr.", "J."
 * and "No.", ignores CLDR's suppressions (`-u-ss-standard`) and differs between ICU releases, so this file has its own
 * rules, with tables of cases in the tests (docs/adr/0037-sentences-end-alike-in-all-languages.md).
 */
import { itemMarkers } from './enumerations.ts';
import { pattern } from './pattern.ts';
import { exclaimedNames, isAbbreviated, type Mark, startsLower } from './periods.ts';
import type { Span } from './span.ts';
import { isEastAsian } from './writing-systems.ts';

/** Marks that always end a sentence, with or without a space after them. */
const plainMarks = '؟۔।॥။។៕።፧։';
/** All marks that may end a sentence, for a character class. */
export const sentenceMarks = `.!?…。！？｡．${plainMarks}`;
/**
 * A period before an ellipsis with spaces, and such an ellipsis, are marks of their own. The Greek question mark looks like
 * a semicolon and is canonically equivalent to one; Armenian often has a colon for its full stop.
 */
const terminators = pattern(
  'gu',
)`(?<=[^\s.])\.(?= \. \. \.(?! ?\.))|\.(?: \.)+|[${sentenceMarks}]+|(?<=\p{Script=Greek}{2})[;\u037e]|(?<=\p{Script=Armenian}["»)]?):(?=\s)`;
/** `.[1]` and `.¹` refer to notes, as does `.11 12` of a text that has lost its superscripts. */
const references = String.raw`\[(?:\d{1,3}(?:[,–-] ?\d{1,3}){0,4}|[a-z]|(?:note|nb) \d{1,2}|citation needed)\]|[¹²³⁰⁴-⁹]+|(?<=(?:\p{Ll}{3}|\))\.)\d{1,3}(?:[ ,–-]\d{1,3}){0,4}(?=\s+\p{Lu})`;
/** `“` and `«` close a quotation in German and Danish, unless a word follows; French has a space before `»`. */
const closers = pattern(
  'uy',
)`(?:["'”’»›)\]}」』）】》〉〕］｝]|[“‘«‹](?=[\s,.;:!?]|$)|[ \u00a0\u202f]»(?=[\s,.;:!?]|$)|${references})*`;
const reference = new RegExp(references, 'gu');
const wideTerminator = new RegExp(`[。！？｡．${plainMarks}]`, 'u');
const openers = /^["'“‘”’„‚«‹»([{（「『《【〈¿¡*_]+/u;
/** Cannot start a sentence, so the previous one continues: punctuation, and a dash or dots before a lower-case word. */
const continuation = /^(?:[,;:，；：、)\]}）】」』》]|[’”](?!\p{L})|(?:[—–-]{1,2}|\.{2,3}|…)\s?\p{Ll})/u;
/** More marks, in front of which none ends the sentence. */
const furtherMark = /^[.!?…]/u;
const ellipsis = /…|\.\.|\. \./u;
const spacedDots = /^\. \. \./;
/** `’s Avonds` and `'t Is` of Dutch begin a sentence in lower case. */
const clitic = /^['’‘][kmnst]\s+(?=\p{Lu})/u;
const closingQuote = /["'”’»«“」』]/u;
/** `他说，` and `小明笑着问道。` after a quote, but not the 道 of 知道; `と` and `って` of Japanese; particles of Korean. */
const reportedSpeech =
  /^(?:\p{Script=Han}{0,6}?(?:[说說问問喊叫答想笑]|(?<!知)道)[道着了]?[，。：、！,.:!]|と|って|\p{Script=Hangul})/u;
const closingBracket = /[)\]}）】》〉〕］｝]/u;
const openingBracket = /^\s*[([{（【《〈〔［｛]/u;
/** Maximum lookaround of a rule, to stay linear in text without spaces. */
const reach = 48;
const longestBracket = 300;

/** Each with the one that closes it. */
const brackets = '()[]{}（）【】《》';

/** Yields the sentences of a paragraph with the white space around them, so that they cover it, in linear time. */
export function* sentencesOf(text: string): Generator<Span> {
  let start = 0;
  const insideBrackets = bracketTracker(text);
  const quotes = quoteCounter(text);
  const items = itemMarkers(text);
  let nextItem = 0;
  /** An item of a list begins a sentence. */
  function* itemsBefore(place: number): Generator<Span> {
    for (let item = items[nextItem]; item !== undefined && item.start < place; item = items[++nextItem]) {
      if (!item.begins || text.slice(start, item.start).trim() === '') continue;
      yield { start, end: item.start };
      start = item.start;
    }
  }
  for (const match of text.matchAll(terminators)) {
    const marksEnd = match.index + match[0].length;
    const end = endOfClosers(text, marksEnd, quotes(marksEnd));
    yield* itemsBefore(marksEnd);
    if (end >= text.length) break;
    const isOfItem = match.index < (items[nextItem - 1]?.end ?? 0);
    const mark: Mark = { text, sentenceStart: start, start: match.index, marksEnd, end };
    if (isOfItem || insideBrackets(match.index, end) || !endsSentence(mark)) continue;
    yield { start, end };
    start = end;
  }
  yield* itemsBefore(text.length);
  if (start < text.length) yield { start, end: text.length };
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

/** A quotation mark between Hebrew letters belongs to an abbreviation, as in `ד"ר`. */
const straightQuote = /(?<!\p{Script=Hebrew})"|"(?!\p{Script=Hebrew})/gu;

/** Finds whether a straight double quote is open at a place; places must ascend. */
function quoteCounter(text: string): (place: number) => boolean {
  const found = text.matchAll(straightQuote);
  let next = found.next();
  let open = false;
  return (place) => {
    for (; !next.done && next.value.index < place; next = found.next()) open = !open;
    return open;
  };
}

/** Finds whether a mark is inside a short pair of brackets; places must ascend. */
function bracketTracker(text: string): (start: number, end: number) => boolean {
  const found = text.matchAll(/[([{（【《]/g);
  let next = found.next();
  let closedAt = -1;
  return (start, end) => {
    while (!next.done && next.value.index < start) {
      const { index, 0: opener } = next.value;
      const close = text.slice(index, index + longestBracket).indexOf(brackets.charAt(brackets.indexOf(opener) + 1));
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
  const rest = following.trimStart().replace(clitic, '');
  if (rest === '') return true;
  if (continuation.test(rest) || (!spaced && furtherMark.test(rest))) return false;
  const closed = text.slice(marksEnd, end).replace(reference, '');
  const quoted = closingQuote.test(closed);
  const next = rest.replace(openers, '');

  if (wideTerminator.test(marks)) {
    // `។ល។` of Khmer means "and so on".
    if (marks === '។' && following.startsWith('ល។')) return false;
    if (marks === '．' && /\p{N}/u.test(next[0] ?? '')) return false;
    // A remark in brackets belongs to its sentence, unless it is a separate sentence.
    if (closingBracket.test(closed) && !openingBracket.test(text.slice(sentenceStart, sentenceStart + reach))) {
      return false;
    }
    return !(quoted && reportedSpeech.test(rest));
  }
  if (marks === '.' && spacedDots.test(rest)) return /^[. ]+["'“‘(]?\p{Lu}/u.test(rest);
  if (ellipsis.test(marks)) return endsWithEllipsis(mark, next, spaced || quoted);
  if (!spaced) {
    const afterWord = /[\p{L}"')”’]/u.test(text[start - 1] ?? '');
    return isEastAsian(next[0]) && (afterWord || marks !== '.') && !(quoted && reportedSpeech.test(rest));
  }
  if (marks === '!' && startsLower(next) && isExclaimedName(text.slice(Math.max(0, start - reach), start)))
    return false;
  if (marks !== '.') return !(quoted && startsLower(next));
  return !startsLower(next) && !isAbbreviated(mark, next);
}

/** Not before small letters and scripts without capitals, which don't show whether a sentence begins, nor before "I". */
function endsWithEllipsis({ text, sentenceStart, start, marksEnd }: Mark, next: string, isApart: boolean): boolean {
  if (!isApart || /^(?:[\p{Ll}\p{Lo}]|I(?:['’]\p{Ll}|(?!\p{L})))/u.test(next)) return false;
  // `[...]` stands for words, and dots begin a sentence that was left out in part.
  if (/[[(]/.test(text[start - 1] ?? '') && /[\])]/.test(text[marksEnd] ?? '')) return false;
  return /[\p{L}\p{N}]/u.test(text.slice(Math.max(sentenceStart, start - reach), start));
}

const isExclaimedName = (before: string): boolean =>
  exclaimedNames.has((/\p{L}{1,12}$/u.exec(before)?.[0] ?? '').toLowerCase());
