/** The words of a book that a model most likely misreads, to give them pronunciations. */
import { trigrams } from '../engine/text/generated/trigrams.ts';

export interface DoubtfulWord {
  readonly word: string;
  readonly count: number;
  /** Such as `capitals`. */
  readonly reason: string;
  /** The chapter that has it first, from 1. */
  readonly chapter: number;
}

const mostListed = 20;
/** Words that are kept at most: those of the longest books are fewer. */
const mostKnown = 500_000;
/** A longer one is no word. */
const longest = 60;

/** Core of a word, without the marks beside it. */
const core = /[\p{L}\p{N}\ufffd].{0,99}/su;
const marksBehind = /[^\p{L}\p{M}\p{N}\ufffd]{1,99}$/u;
const possessive = /['’]s$/u;
const roman = /^(?=[MDCLXVI])M{0,4}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/;
const alphabets = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];

/** Reasons that a word gives by itself, and how much they count. */
const reasons: readonly (readonly [reason: string, weight: number, fits: (word: string) => boolean])[] = [
  ['damaged', 6, (word) => word.includes('\ufffd')],
  ['letters of two alphabets', 6, (word) => alphabets.filter((alphabet) => alphabet.test(word)).length > 1],
  ['letters and digits', 3, (word) => /\p{L}\p{Nd}|\p{Nd}\p{L}\p{Nd}/u.test(word)],
  ['capitals', 2.5, (word) => /^(?:\p{Lu}[.&-]?){2,6}$/u.test(word) && !roman.test(word)],
  [
    'no vowels',
    3,
    (word) => /^[bcdfghjklmnpqrstvwxz]{3,}$/i.test(word) && !/^(?:hm+|mh+m+|sh+|psh*t|brr+|grr+|tsk|mrs)$/i.test(word),
  ],
  [
    'capitals within',
    2,
    (word) => /\p{Ll}\p{Lu}/u.test(word) && !/^(?:Mc|Mac|O['’]|[DLdl]['’]|Fitz|De|Di|La|Le|Van)\p{Lu}/u.test(word),
  ],
];
/** Largest weight of rare sequences of letters. */
const rareWeight = 3;
/** How much rarer than usual the sequences of a word are, at least. */
const leastRarity = 0.25;
/** Share of its sequences that are rare, at least. */
const leastShare = 0.5;

export interface DoubtfulWords {
  /** @param words with the marks beside them; @param chapter from 1 */
  read(words: readonly string[], chapter: number): void;
  /** The most likely first. @param languages of the book, whose usual sequences of letters are not rare */
  found(languages: readonly string[]): readonly DoubtfulWord[];
}

export function createDoubtfulWords(): DoubtfulWords {
  const known = new Map<string, { count: number; readonly chapter: number }>();
  return {
    read(words, chapter) {
      for (const written of words) {
        const word = (core.exec(written)?.[0] ?? '').replace(marksBehind, '').replace(possessive, '');
        const entry = known.get(word);
        if (entry !== undefined) entry.count += 1;
        else if (/\p{L}/u.test(word) && word.length <= longest && known.size < mostKnown)
          known.set(word, { count: 1, chapter });
      }
    },
    found(languages) {
      const rarity = createRarity(known.keys(), languages);
      const scored = [...known].flatMap(([word, { count, chapter }]) => {
        const own = reasons.find(
          ([reason, , fits]) => fits(word) && !(reason === 'capitals' && isShouted(word, known)),
        );
        const rare = own === undefined ? rarity(word) : 0;
        if (own === undefined && rare < leastRarity) return [];
        const [reason, weight] = own ?? ['rare sequences of letters', rare * rareWeight];
        return [{ word, count, reason, chapter, score: weight * (1 + Math.log2(count)) }];
      });
      scored.sort((one, other) => other.score - one.score);
      const listed = new Set<string>();
      return scored
        .filter(({ word }) => {
          const key = word.toLowerCase();
          return !listed.has(key) && listed.size < mostListed && listed.add(key);
        })
        .map(({ score: _, ...word }) => word);
    },
  };
}

/** Whether a word in capitals is an ordinary one in a heading. */
const isShouted = (word: string, known: ReadonlyMap<string, unknown>): boolean =>
  known.has(word.toLowerCase()) || known.has(word[0] + word.slice(1).toLowerCase()) || word.length > 5;

const cased = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}'’-]{4,}$/u;

/** How much more of a word's sequences of three letters than usual no other word of the book has: at most 1. */
function createRarity(words: Iterable<string>, languages: readonly string[]): (word: string) => number {
  const types = new Set<string>();
  for (const word of words) if (cased.test(word)) types.add(word.toLowerCase());
  const counts = new Map<string, number>();
  for (const language of languages) for (const three of threesOf(trigrams[language] ?? '')) counts.set(three, 1);
  for (const word of types) for (const three of new Set(threes(word))) counts.set(three, (counts.get(three) ?? 0) + 1);
  const share = (word: string): number => {
    const own = threes(word);
    return own.filter((three) => (counts.get(three) ?? 0) <= 1).length / own.length;
  };
  let sum = 0;
  for (const word of types) sum += share(word);
  const usual = types.size === 0 ? 0 : sum / types.size;
  return (word) => {
    const own = cased.test(word) ? share(word.toLowerCase()) : 0;
    return own < leastShare ? 0 : own - usual;
  };
}

function threes(word: string): readonly string[] {
  const padded = `_${word}_`;
  return Array.from({ length: padded.length - 2 }, (_, index) => padded.slice(index, index + 3));
}

/** Sequences of three letters in a list without separators. */
const threesOf = (list: string): readonly string[] =>
  Array.from({ length: Math.floor(list.length / 3) }, (_, index) => list.slice(index * 3, index * 3 + 3));
