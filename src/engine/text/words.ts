/** Words of a text, as captions and word times have them. */
import { phonemes } from './markup.ts';
import { segmentsOf } from './segments.ts';
import { unspaced } from './writing-systems.ts';

/** A group of phonemes with the punctuation behind it, or what is between white space and phonemes. */
const tokens = new RegExp(String.raw`${phonemes}(?:(?![{[])\p{P})*|(?:(?!${phonemes})\S)+`, 'gu');
const hasUnspaced = new RegExp(`[${unspaced}]`, 'u');
/** Runs of scripts without spaces, each with the punctuation beside it, and what is between them. */
const runs = new RegExp(`[${unspaced}\\p{M}]+|[^${unspaced}\\p{M}]+`, 'gu');
const sounding = /[\p{L}\p{N}\p{Sc}\p{Sm}%&@#§°]/u;
const opening = /[\p{Ps}\p{Pi}¿¡]/u;
/** A stretch of another script, and single marks around it. */
const pieces = /[^\p{P}](?:.*[^\p{P}])?[#%&@§]?|[\p{P}]/gsu;

/**
 * Words of a text: what white space separates, the words of scripts without spaces, and each group of phonemes; each with the punctuation
 * beside it.
 *
 * @example wordsOf('你好，世界。') // ['你好，', '世界。']
 */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  for (const [token] of text.matchAll(tokens)) {
    if (!hasUnspaced.test(token)) words.push(token);
    else for (const word of wordsWithin(token)) words.push(word);
  }
  return words;
}

/** Words of a text without white space, in scripts without spaces and others. */
function wordsWithin(token: string): readonly string[] {
  const words: string[] = [];
  /** Marks in front of the next word. */
  let opened = '';
  let isQuoted = false;
  for (const [run] of token.matchAll(runs)) {
    // One character needs no dictionary.
    const isFound = run.length > 1 && hasUnspaced.test(run);
    for (const segment of isFound ? segmentsOf(run, 'word') : (run.match(pieces) ?? [])) {
      if (segment === '"') isQuoted = !isQuoted;
      const last = words.length - 1;
      if (sounding.test(segment)) {
        words.push(opened + segment);
        opened = '';
      } else if (opened !== '' || last < 0 || opening.test(segment) || (segment === '"' && isQuoted)) {
        opened += segment;
      } else {
        words[last] += segment;
      }
    }
  }
  if (opened === '') return words;
  const closing = words.pop() ?? '';
  return [...words, closing + opened];
}
