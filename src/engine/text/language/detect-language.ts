/**
 * Detects the language of a paragraph, and how certain that is: by its script where only one of VoxCPM 2's languages has it, else
 * by words, letters and their sequences. Detectors from npm need longer texts, and take Norwegian for Danish and Indonesian for
 * Malay (docs/adr/0081-the-language-of-a-text.md).
 */
import { trigrams } from '../generated/trigrams.ts';
import { languagesOfWord, wordyLanguages } from './language-words.ts';

export interface Detected {
  /** A BCP 47 tag, also of a language that isn't spoken here; undefined if it is unknown. */
  readonly tag: string | undefined;
  /** Certainty from 0 to 1. */
  readonly certainty: number;
  /** Languages of its known words, if these are at least half of a text in Latin letters. */
  readonly words?: ReadonlySet<string> | undefined;
}

/** Scripts of one language each. */
const scripts: readonly (readonly [language: string, letters: RegExp])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['zh', /\p{Script=Han}|[，。：；！？、（）￥]/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['th', /\p{Script=Thai}/gu],
  ['lo', /\p{Script=Lao}/gu],
  ['km', /\p{Script=Khmer}/gu],
  ['my', /\p{Script=Myanmar}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
];
/** Characters that Chinese writes otherwise, in texts without kana. */
const japanese = /[〒々円駅県広気対図売読変込働応営単労戦険検験関権経済発価払転総続]/u;
const latin = /\p{Script=Latin}/gu;
/** Other letters: those of a language that isn't known here. */
const otherLetters =
  /(?![\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}])\p{L}/gu;
/** Letters of other languages in these scripts: Ukrainian, Belarusian, Serbian; Persian, Urdu. */
const foreignLetters = /[іїєґўјљњћђџѓќ]|[پچژگڤٹڈڑے]/iu;

/** Letters that few languages have, with the weight of a word. */
const letters: readonly (readonly [letters: RegExp, languages: readonly string[], weight: number])[] = [
  [/ß/gu, ['de'], 2],
  [/(?<!\p{L})(?:j|qu|jusqu)['’](?=\p{L})/giu, ['fr'], 2],
  [/(?<!\p{L})(?:l|d|c|n|s|m|t)['’](?=\p{L})/giu, ['fr', 'it'], 0.5],
  [/(?<!\p{L})I(?:['’](?:m|ve|ll|d))?(?= \p{Ll})/gu, ['en'], 1.2],
  [/[äöü]/giu, ['de', 'sv', 'fi', 'tr'], 0.3],
  [/ä/giu, ['de', 'sv', 'fi'], 0.5],
  // Thousands are grouped by spaces in Norwegian, by points in Danish.
  [/\d[ \u00a0]\d{3}(?!\d)/gu, ['nb', 'sv', 'fi', 'pl', 'fr'], 0.3],
  [/\d\.\d{3}(?!\d)/gu, ['da', 'de', 'nl', 'es', 'it', 'pt', 'id', 'tr', 'vi'], 0.3],
  // French puts spaces before these marks.
  [/\p{L}[ \u00a0\u202f][:;!?](?=\s|$)/gu, ['fr'], 0.8],
  [/\d[ \u00a0\u202f]%/gu, ['de', 'fr', 'es', 'sv', 'nb', 'da', 'fi'], 0.3],
  [/å/giu, ['da', 'nb', 'sv'], 0.8],
  [/[æø]/giu, ['da', 'nb'], 0.8],
  [/[ñ¿¡]/giu, ['es'], 1.5],
  [/[ãõ]/giu, ['pt', 'vi'], 0.8],
  [/[çêèâîûœëï]/giu, ['fr', 'pt'], 0.3],
  [/[œèù]/giu, ['fr', 'it'], 0.4],
  [/[òì]/giu, ['it', 'vi'], 0.4],
  [/à/giu, ['fr', 'it', 'pt', 'vi'], 0.4],
  [/[áíóú]/giu, ['es', 'pt', 'vi'], 0.3],
  [/[łąęśźżćń]/giu, ['pl'], 1.5],
  [/[ğış]|İ/gu, ['tr'], 1.2],
  [/[đơưăạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/giu, ['vi'], 1.5],
  // Languages that aren't spoken here: Czech, Hungarian, Romanian, Croatian, Baltic ones, Icelandic.
  [/[řěů]/giu, ['cs'], 2],
  [/[őű]/giu, ['hu'], 2],
  [/[țșţ]/giu, ['ro'], 1.5],
  [/[čž]/giu, ['cs', 'hr', 'sl', 'lt', 'lv'], 0.8],
  [/[ēīņķļģ]/giu, ['lv'], 1],
  [/[ėįųū]/giu, ['lt'], 1],
  [/[þð]/giu, ['is'], 2],
];

const beyondAscii = /\P{ASCII}/u;

type Sign = readonly [pattern: RegExp, language: string, weight?: number];
/** Money and streets as one language alone, or mostly one, writes them: with a number beside. They tell more than few words. */
const ofFewWords: readonly Sign[] = [
  [/(?<!\p{L})Rp\.? ?\d/u, 'id'],
  [/(?<!\p{L})RM ?\d/u, 'ms'],
  [/R\$ ?\d/u, 'pt'],
  [/\d ?zł(?!\p{L})/u, 'pl'],
  [/\d ?₽|\d ?руб/u, 'ru'],
  [/\d ?(?:₫|đ(?!\p{L})|VND(?!\p{L}))|₫ ?\d/u, 'vi'],
  [/\d ?TL(?!\p{L})|₺ ?\d|\d ?₺/u, 'tr'],
  [/\d ?Kč(?!\p{L})/u, 'cs'],
  [/\d ?Ft(?!\p{L})/u, 'hu'],
  [/\p{L}{3}str\. \d/u, 'de'],
  [/(?<!\p{L})(?:Cad|Sok|Mah)\. /u, 'tr'],
  [/(?<!\p{L})(?:ul|al|pl)\. \p{Lu}/u, 'pl'],
];
/** Other signs beside numbers in one language. */
const numbers: readonly Sign[] = [
  [/\d ?(?:[AaPp]\.?[Mm]\.?)(?!\p{L})|\d(?:st|nd|rd|th)(?!\p{L})/u, 'en', 2],
  [/[$£]\d|\d ?(?:mi|ft|lbs?|oz|mph)(?!\p{L})|#\d/u, 'en', 0.7],
  [/\d ?Uhr(?!\p{L})/u, 'de', 2],
  [/(?<![\d%])%\d/u, 'tr', 1],
];
const word = /[\p{L}\p{M}]+/gu;
/** Enough to detect the language of a long paragraph, in characters; and for sequences of letters, in words. */
const sampleLength = 4000;
const mostSequenced = 30;

/** Logarithms of probability by rank among a language's sequences, fitted to their frequencies, and that of all others. */
const rankedSequences = 800;
const ofRank = (rank: number): number => -2.15 - 0.888 * Math.log(rank + 10);
const ofOthers = ofRank(rankedSequences) - 1.2;

/** For each sequence of three letters, how much more probable it is in a language than any that is not in its table. */
let sequences: ReadonlyMap<string, readonly (readonly [language: number, gain: number])[]> | undefined;
const sequenced = Object.keys(trigrams);
function gainsOf(sequence: string): readonly (readonly [language: number, gain: number])[] {
  if (sequences === undefined) {
    const gains = new Map<string, (readonly [number, number])[]>();
    for (const [index, language] of sequenced.entries()) {
      const table = trigrams[language] ?? '';
      for (let rank = 0; rank * 3 < table.length; rank += 1) {
        const key = table.slice(3 * rank, 3 * rank + 3);
        const known = gains.get(key) ?? [];
        known.push([index, ofRank(rank) - ofOthers]);
        gains.set(key, known);
      }
    }
    sequences = gains;
  }
  return sequences.get(sequence) ?? [];
}

/** How much more its words' sequences of letters speak for each language than for the worst. */
function scoreSequences(words: readonly string[]): Float64Array {
  const scores = new Float64Array(sequenced.length);
  for (const written of words.slice(0, mostSequenced)) {
    const bordered = `_${written.toLowerCase()}_`;
    for (let at = 0; at + 3 <= bordered.length && at < 30; at += 1) {
      for (const [language, gain] of gainsOf(bordered.slice(at, at + 3)))
        scores[language] = (scores[language] ?? 0) + gain;
    }
  }
  return scores;
}

/** Weights of sequences beside words, the most that they count against a language, and that of English, which needs least evidence. */
const sequenceWeight = 0.25;
const worstSequences = -3;
const enoughLetters = 12;
const englishHead = 1;

/** No words: addresses, units at numbers, names of days in ranges. */
const noWord = /[@/]|\.\p{L}|^\p{Lu}\p{Ll}{1,2}-\p{Lu}/u;

function latinLanguage(text: string): Detected {
  const scores = new Map<string, number>();
  const add = (language: string, score: number): void => void scores.set(language, (scores.get(language) ?? 0) + score);
  const tokens = text.split(/[\s–—]+/u).filter((token) => !noWord.test(token));
  const hasLower = /\p{Ll}{2}/u.test(text);
  const words: string[] = [];
  const languagesOfKnown: (readonly string[])[] = [];
  let known = 0;
  for (const token of tokens) {
    for (const { 0: written, index } of token.matchAll(word)) {
      // `5km`, `B2B`
      if (index > 0 && /\d/.test(token[index - 1] ?? '')) continue;
      words.push(written);
      const languages = languagesOfWord.get(written.toLowerCase()) ?? [];
      const weight = weightOf(written, hasLower, words.length);
      for (const language of languages) add(language, weight * (0.4 + 0.6 / languages.length));
      if (languages.length > 0) languagesOfKnown.push(languages);
      if (languages.length > 0) known += weight;
    }
  }
  const names = (text.match(/(?<!\p{L})\p{Lu}[\p{L}\p{M}]*/gu) ?? []).slice(1).join(' ');
  const small = text.replace(/(?<!^)(?<!\p{L})(?:\p{Lu}[\p{L}\p{M}]*|zł(?!\p{L}))/gu, '');
  const isAscii = !beyondAscii.test(text);
  for (const [pattern, languages, weight] of letters) {
    if (isAscii && beyondAscii.test(pattern.source) && !pattern.source.includes("'")) continue;
    const count = (where: string): number => Math.min(20, where.match(pattern)?.length ?? 0);
    // Names are of any language.
    const isSpoken = languages.some((language) => !unspoken.has(language));
    const found = pattern.source.includes('’')
      ? count(text)
      : isSpoken || words.length > 8
        ? count(small) + 0.4 * count(names)
        : 0.3 * count(text);
    for (const language of found === 0 ? [] : languages) add(language, weight * found ** 0.7);
  }
  const isShort = words.length <= 8 && text.length < 200;
  for (const [pattern, language, weight = 2.5] of [...(isShort ? ofFewWords : []), ...numbers])
    if (pattern.test(text)) add(language, weight);
  const spelled = words.filter((written) => written.length > 1 && (!hasLower || written !== written.toUpperCase()));
  const bySequence = scoreSequences(spelled);
  const best = Math.max(...bySequence);
  // Few letters may be those of any language.
  const length = spelled.reduce((sum, written) => sum + written.length, 0);
  const weight = sequenceWeight * Math.min(1, length / enoughLetters);
  for (const [index, language] of sequenced.entries()) {
    const behind = Math.max(worstSequences, weight * ((bySequence[index] ?? 0) - best));
    add(language, behind);
    // Malay is spelled as Indonesian is.
    if (language === 'id') add('ms', behind - 0.3);
  }
  add('en', englishHead);
  const sorted = [...scores].sort(([, one], [, other]) => other - one);
  const [first] = sorted;
  const second = sorted.find(([language]) => language !== first?.[0] && !isTwin(language, first?.[0]));
  if (first === undefined || (words.length === 0 && first[1] < 1.5)) return { tag: undefined, certainty: 0 };
  const lead = first[1] - (second?.[1] ?? 0);
  const isUnknown =
    known === 0 && words.length <= 4 && !numbers.some(([sign, language]) => language === 'en' && sign.test(text));
  // Names are all that many texts have of a language that isn't spoken here.
  const margin = unspoken.has(first[0]) ? lead / 2 : lead;
  // Most words of a text are unknown that has only some of a language in common.
  const isForeign = spelled.length >= 6 && known < 0.12 * spelled.length && wordyLanguages.includes(first[0]);
  const certainty = isForeign ? 0.3 : margin / (margin + certaintyHalf);
  // A word or two that the second language has too.
  const isShared =
    first[0] !== 'en' &&
    words.length <= 3 &&
    languagesOfKnown.some((languages) => languages.includes(first[0])) &&
    languagesOfKnown.every((languages) => !languages.includes(first[0]) || languages.includes(second?.[0] ?? ''));
  // Sequences alone say little of few words, and English is what speaks against nothing.
  const isUnsure = isShared || (first[0] === 'en' && isUnknown);
  return {
    tag: first[0],
    certainty: isUnsure ? Math.min(certainty, unsure) : certainty,
    words: languagesOfKnown.length * 2 >= words.length ? new Set(languagesOfKnown.flat()) : undefined,
  };
}

/** Languages whose letters are known here, but not their numbers. */
const unspoken = new Set(['ca', 'cs', 'hr', 'hu', 'is', 'lt', 'lv', 'ro', 'sl']);

/** Malay and Indonesian, in which numbers are nearly the same: which of them it is need not be certain. */
const twins = new Set(['id', 'ms']);
const isTwin = (one: string, other = ''): boolean => twins.has(one) && twins.has(other);

/** Certainty of English where no word is known, and where two languages have all known words. */
const unsure = 0.7;
/** The lead over the second language that is as good as certain by half. */
const certaintyHalf = 0.25;

/** Names and abbreviations are weaker evidence than words, and letters alone weaker still. */
function weightOf(written: string, hasLower: boolean, place: number): number {
  if (written.length === 1) return written === written.toLowerCase() ? 0.5 : 0.1;
  if (written === written.toUpperCase() && written !== written.toLowerCase()) return hasLower ? 0.1 : 0.6;
  return place > 1 && /^\p{Lu}/u.test(written) ? 0.6 : 1;
}

const latinOnly = /\p{Script=Latin}{2}/u;
/** Letters of scripts that one language has, and Chinese. */
const ofOwnScript = new RegExp(scripts.map(([, pattern]) => pattern.source).join('|'), 'u');

/**
 * The language of a sentence within a paragraph of another: that of the paragraph, unless the sentence's words clearly tell
 * another.
 */
export function languageOfSentence(sentence: string, paragraph: string): string {
  const words = new Set(sentence.toLowerCase().match(word));
  if (ofOwnScript.test(sentence)) return latinOnly.test(sentence) ? paragraph : (languageOf(sentence) ?? paragraph);
  const isLatin = wordyLanguages.includes(paragraph);
  const counts = new Map<string, number>();
  for (const written of words)
    for (const language of languagesOfWord.get(written) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1);
  const [best = paragraph, most = 0] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [];
  const own = counts.get(paragraph) ?? 0;
  const isClear = isLatin
    ? best !== paragraph && own * 3 <= most && most >= (own === 0 && words.size <= 6 ? 2 : 3)
    : words.size >= 3;
  const found = isClear ? languageOf(sentence) : undefined;
  return found === undefined || (isLatin && found !== best) ? paragraph : found;
}

/** A BCP 47 tag, also of a language that isn't spoken here; undefined if it is uncertain. */
export function languageOf(text: string): string | undefined {
  const { tag, certainty } = detectLanguage(text);
  return certainty >= certain ? tag : undefined;
}

/** Certainty from which the words of a paragraph tell its language. */
export const certain = 0.75;

/** Characters that can show a language. */
const telling = /[\p{L}\p{Sc}，。：；！？、（）￥]/u;

/** The language of a text, by its first thousands of characters. */
export function detectLanguage(text: string): Detected {
  const sample = text.slice(0, sampleLength);
  if (!telling.test(sample)) return { tag: undefined, certainty: 0 };
  const count = (pattern: RegExp): number => sample.match(pattern)?.length ?? 0;
  const counts = scripts.map(([language, pattern]) => [language, count(pattern)] as const);
  const { ja = 0, ko = 0, zh = 0 } = Object.fromEntries(counts);
  const byScript = (tag: string): Detected => ({ tag, certainty: 1 });
  // Japanese and Korean may have more Chinese characters than their own.
  if (ja > 0 && ja * 10 >= zh) return byScript('ja');
  if (ko > 0 && ko * 3 >= zh) return byScript('ko');
  if (zh > 0) return byScript(japanese.test(sample) ? 'ja' : 'zh');
  const [language, most] = counts.reduce((best, next) => (next[1] > best[1] ? next : best));
  const latinLetters = count(latin);
  const others = count(otherLetters);
  if (others > most && others >= latinLetters) return byScript('und');
  // Letters of Greek name quantities in other languages.
  const isWritten = language !== 'el' || /\p{Script=Greek}{2}/u.test(sample);
  if (isWritten && most > 0 && (most >= latinLetters || (language !== 'el' && most * 2 >= latinLetters))) {
    return byScript(foreignLetters.test(sample) ? 'und' : language);
  }
  return latinLanguage(sample);
}
