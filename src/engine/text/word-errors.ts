/** How far a transcript is from a text: the word error rate, whatever case, punctuation and spelling of numbers. */
import { withoutMarkup } from './markup.ts';
import { verbalizeText } from './verbalize/verbalize.ts';

/** Stands for phonemes, whose spelling is unknown: equal to any token. */
const anyToken = '\ufffc';
/** Scripts without spaces, and Hangul, in which recognizers set spaces otherwise than writers. */
const unspaced = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]`;
const tokenPattern = new RegExp(
  String.raw`${anyToken}|(?=[\p{L}\p{N}])${unspaced}\p{M}*|(?:(?!${unspaced})[\p{L}\p{N}\p{M}])+`,
  'gu',
);

/** Words, or single characters in scripts without spaces. */
function tokensOf(text: string): readonly string[] {
  const spoken = withoutMarkup(verbalizeText(text), ` ${anyToken} `);
  const plain = spoken.normalize('NFKC').toLowerCase().replace(/['’]/gu, '');
  return plain.match(tokenPattern) ?? [];
}

/** A transcript this much longer than its text is wrong anyway; a hostile recognizer may send a megabyte. */
const longestTranscript = (text: string): number => 4 * text.length + 1000;

/**
 * Substitutions, insertions and deletions per word of the text; per character in scripts without spaces. 0 if the text
 * has no words, else at least 0 and, with many insertions, more than 1.
 *
 * @example wordErrorRate('It cost $3.', 'it cost three dollars') // 0
 */
export function wordErrorRate(text: string, transcript: string): number {
  const expected = tokensOf(text);
  if (expected.length === 0) return 0;
  return distance(expected, tokensOf(transcript.slice(0, longestTranscript(text)))) / expected.length;
}

/** Levenshtein's edit distance of tokens; libraries compare strings only. */
function distance(expected: readonly string[], received: readonly string[]): number {
  let row = Uint32Array.from({ length: received.length + 1 }, (_, index) => index);
  for (const [i, token] of expected.entries()) {
    const next = new Uint32Array(row.length);
    next[0] = i + 1;
    for (let j = 0; j < received.length; j += 1) {
      const kept = (row[j] as number) + (token === received[j] || token === anyToken ? 0 : 1);
      next[j + 1] = Math.min(kept, (row[j + 1] as number) + 1, (next[j] as number) + 1);
    }
    row = next;
  }
  return row.at(-1) as number;
}
