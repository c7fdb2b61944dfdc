/** How far a transcript is from a text: the word error rate, whatever case, punctuation and spelling of numbers. */
import { inTurns, type Steps } from '../../event-loop.ts';
import { withoutMarkup } from './markup.ts';
import { pattern } from './pattern.ts';
import { verbalizeSteps } from './verbalize/verbalize.ts';
import { hangul, unspaced } from './writing-systems.ts';

/** Stands for phonemes, whose spelling is unknown: equal to any token. */
const anyToken = '\ufffc';
/** Scripts without spaces, and Hangul, in which recognizers set spaces otherwise than writers. */
const unseparated = `[${unspaced}${hangul}]`;
const tokenPattern = pattern(
  'gu',
)`${anyToken}|(?=[\p{L}\p{N}])${unseparated}\p{M}*|(?:(?!${unseparated})[\p{L}\p{N}\p{M}])+`;

/** Words, or single characters in scripts without spaces. */
function* tokensOf(text: string, language: string | undefined): Steps<readonly string[]> {
  const spoken = withoutMarkup(yield* verbalizeSteps(text, language), ` ${anyToken} `);
  const plain = spoken.normalize('NFKC').toLowerCase().replace(/['’]/gu, '');
  return plain.match(tokenPattern) ?? [];
}

/** A transcript this much longer than its text is wrong anyway; a hostile recognizer may send a megabyte. */
const longestTranscript = (text: string): number => 4 * text.length + 1000;

/**
 * Substitutions, insertions and deletions per word of the text; per character in scripts without spaces. 0 if the text
 * has no words, else at least 0 and, with many insertions, more than 1.
 *
 * @param language of both, if it is known
 * @example await wordErrorRate('It cost $3.', 'it cost three dollars') // 0
 */
export const wordErrorRate = (text: string, transcript: string, language?: string): Promise<number> =>
  inTurns(wordErrorSteps(text, transcript, language));

/** The same in steps. */
export function* wordErrorSteps(text: string, transcript: string, language?: string): Steps<number> {
  const expected = yield* tokensOf(text, language);
  if (expected.length === 0) return 0;
  const received = yield* tokensOf(transcript.slice(0, longestTranscript(text)), language);
  return distance(expected, received) / expected.length;
}

/** How far an alignment may be from an even one, in words; far more than a transcript leaves out or adds at once. */
const mostShift = 1000;
/** More than any distance. */
const unreachable = 0x7fff_ffff;

/**
 * Levenshtein's edit distance of tokens; libraries compare strings only. In texts of more than a thousand words, alignments
 * beyond `mostShift` don't count, so that it takes linear time.
 */
function distance(expected: readonly string[], received: readonly string[]): number {
  let row = Uint32Array.from({ length: received.length + 1 }, (_, index) => index);
  let next = new Uint32Array(row.length).fill(unreachable);
  for (const [i, token] of expected.entries()) {
    const middle = Math.round(((i + 1) * received.length) / expected.length);
    const first = Math.max(0, middle - mostShift);
    const last = Math.min(received.length, middle + mostShift);
    next[first] = first === 0 ? i + 1 : unreachable;
    for (let j = first; j < last; j += 1) {
      const kept = (row[j] as number) + (token === received[j] || token === anyToken ? 0 : 1);
      next[j + 1] = Math.min(kept, (row[j + 1] as number) + 1, (next[j] as number) + 1);
    }
    [row, next] = [next, row];
  }
  return row.at(-1) as number;
}
