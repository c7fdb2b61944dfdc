/**
 * Splits paragraphs into sentences. `Intl.Segmenter` follows Unicode (UAX 29), which ends a sentence after "Dr.", "J."
 * and "No.", ignores CLDR's suppressions (`-u-ss-standard`) and differs between ICU releases, so this file has its own
 * rules, with tables of cases in the tests (docs/adr/0037-sentences-end-alike-in-all-languages.md).
 */
import {
  capitalizedAbbreviations,
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
/** `“` and `«` close a quotation in German and Danish, unless a word follows; French has a space before `»`. */
const closers = /(?:["'”’»›)\]}」』）】》〉〕］｝]|[“‘«‹](?=[\s,.;:!?]|$)|[ \u00a0\u202f]»(?=[\s,.;:!?]|$))*/uy;
const wideTerminator = new RegExp(`[。！？｡．${plainMarks}]`, 'u');
/** Scripts without upper case and mostly without spaces. */
const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const openers = /^["'“‘”’„‚«‹»([{（「『《【〈¿¡*_]+/u;
/** Cannot start a sentence, so the previous one continues: punctuation, and a dash before a lower-case word. */
const continuation = /^(?:[,;:，；：、)\]}）】」』》]|[’”](?!\p{L})|[—–-]\s?\p{Ll})/u;
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

/** A quotation mark between Hebrew letters belongs to an abbreviation, as in `ד"ר`. */
const straightQuote = /(?<!\p{Script=Hebrew})"|"(?!\p{Script=Hebrew})/gu;

/** Tells whether a straight double quote is open at a place; places must ascend. */
function quoteCounter(text: string): (place: number) => boolean {
  const found = text.matchAll(straightQuote);
  let next = found.next();
  let open = false;
  return (place) => {
    for (; !next.done && next.value.index < place; next = found.next()) open = !open;
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
  const rest = following.trimStart().replace(clitic, '');
  if (rest === '') return true;
  if (continuation.test(rest)) return false;
  const quoted = closingQuote.test(text.slice(marksEnd, end));
  const next = rest.replace(openers, '');

  if (wideTerminator.test(marks)) {
    // `។ល។` of Khmer means "and so on".
    if (marks === '។' && following.startsWith('ល។')) return false;
    if (marks === '．' && /\p{N}/u.test(next[0] ?? '')) return false;
    // A remark in brackets belongs to its sentence, unless it is a separate sentence.
    const remark = closingBracket.test(text.slice(marksEnd, end));
    if (remark && !openingBracket.test(text.slice(sentenceStart, sentenceStart + reach))) return false;
    return !(quoted && reportedSpeech.test(rest));
  }
  // Scripts without capitals don't show whether a sentence begins after it.
  if (/…|\.\./.test(marks)) return (spaced || quoted) && !/^[\p{Ll}\p{Lo}]/u.test(next);
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

/** Up to a period, in the scripts whose abbreviations have one. */
const lastWord =
  /(?:[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Thai}\p{Script=Lao}\p{M}\p{N}.'’&-]|(?<=\p{Script=Hebrew})["״׳])*$/u;
/** `3.` in `am 3. Mai` and `das 19. Jahrhundert` of German. */
const ordinal = /(?<![\p{L}\p{N}.,])\d{1,3}$/u;
const month =
  /^(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)(?!\p{L})/u;
const determined =
  /(?<!\p{L})(?:der|die|das|den|dem|des|am|im|vom|zum|zur|beim|ins|ihr|ihre|ihren|sein|seine|seinen|jeder|jedes|jede)\s\d{1,3}$/iu;
/** `1990 г.` of Russian and `1990 r.` of Polish; without a number the letter abbreviates another word. */
const yearAbbreviation = /\d\s?(?:гг?|r|rr)$/u;

/** Whether the period belongs to the word before it; `next` is the following text without opening punctuation. */
function isAbbreviated({ text, sentenceStart, start, end, marksEnd }: Mark, next: string): boolean {
  const from = Math.max(sentenceStart, start - reach);
  const before = text.slice(from, start);
  const word = lastWord.exec(before)?.[0] ?? '';
  if (ordinal.test(before) && (month.test(next) || (determined.test(before) && !startsUsually(next)))) return true;
  if (yearAbbreviation.test(before)) return false;
  // `1.`, `a.` and `iv.` before a sentence number it.
  const alone = before.trim() === word && from === sentenceStart;
  if (alone && /^(?:\d{1,3}|\p{L}|[ivx]{1,4}|[IVX]{1,4}|\d{1,3}(?:\.\d{1,3})+)$/u.test(word)) return true;
  if (end > marksEnd) return false;
  return isAbbreviation(word, next);
}

/** Thai and Lao abbreviate to consonants; their sentences end without a mark. */
const consonants = /^(?:[ก-ฮ]{1,5}|[ກ-ຮ]{1,5})(?:\.(?:[ก-ฮ]{1,5}|[ກ-ຮ]{1,5}))*$/u;
/** Initials and letters with periods: `J. R. R.`, `J.-P.`, `U.S.`; a letter alone where there are no capitals. */
const initials = /^(?:\p{Lu}|[\p{Script=Hebrew}\p{Script=Arabic}]|(?:\p{L}\.-?)+\p{L})$/u;
/** `s. 5` and `v. 1990`, as pages and years have it in many languages; `z. B.` of German. */
const lowerLetter = /^\p{Ll}$/u;
/** `L’avv.` of Italian and French. */
const elision = /^\p{L}{1,5}['’]/u;

/** Whether `written` before a period is an abbreviation that does not end its sentence. */
export function isAbbreviation(written: string, next: string): boolean {
  const word = written.replace(elision, '');
  const lower = word.toLowerCase();
  if (openAbbreviations.has(lower) || capitalizedAbbreviations.has(word) || consonants.test(word)) return true;
  const isDoubtful = doubtfulAbbreviations.has(lower);
  if (numberAbbreviations.has(lower) || /str$/.test(lower)) return /^[#\d]|^[IVXLC]+(?!\p{L})/u.test(next);
  if (lowerLetter.test(word) && !isDoubtful) return /^[#\d]|^\p{Lu}\./u.test(next);
  if (closingAbbreviations.has(lower)) return false;
  return (initials.test(word) || isDoubtful) && !startsUsually(next);
}
