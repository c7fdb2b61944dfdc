/** Whether the period of an abbreviation also ends its sentence, so that it stays when the abbreviation is written out. */
import { foreignStarters, sentenceStarters } from '../abbreviations.ts';
import { isNext, take } from './place.ts';

const sentenceEnd = /\s*$|["')\]]{1,2}\s/uy;
const nextWord = /\s+["'“‘(]?(\p{Lu}[\p{L}'’]{0,30})/uy;

/** Whether the period of a word that may end a sentence does. */
export function endsSentence(text: string, end: number, certainty: 'any capital' | 'typical word'): boolean {
  if (isNext(text, end, sentenceEnd)) return true;
  const word = take({ text, at: end }, nextWord)?.[1];
  if (word === undefined) return false;
  if (certainty === 'any capital') return true;
  const lower = word.toLowerCase().replace('’', "'");
  return sentenceStarters.has(lower) || foreignStarters.has(lower);
}
