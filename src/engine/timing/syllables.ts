/** How long words take to say, relative to each other. */
import { phonemes } from '../text/markup.ts';
import { eachSyllabic } from '../text/writing-systems.ts';

const vowels = /[aeiouyæøœıαεηιουωаеёиоуыэюяіїє]+/gu;
const digits = /\p{Nd}/gu;
const letters = /[\p{L}\p{M}]/gu;
/** Letters a syllable in scripts whose vowels are not distinguished here. */
const lettersPerSyllable = 2.5;
/** `7` is one syllable, `20` two, `1984` five. */
const syllablesPerDigit = 1.4;
/** A syllable of three letters weighs 1. Sounds take more of the time than their number of syllables suggests. */
const syllableWeight = 0.34;
const letterWeight = 0.22;

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** `{HH AH0 L OW1}` and `{ni3}` have a digit in each syllable. */
const notation = new RegExp(`^${phonemes}`, 'u');

const finalE = /(?<=[^aeiouy\W])e(?=\P{L}*$)/u;

/** A final e is silent in English and French, where most words end with one, unless it is the only vowel. */
function withoutFinalE(word: string): string {
  const at = word.search(finalE);
  return at !== -1 && /[aeiouy]/.test(word.slice(0, at - 1)) ? word.slice(0, at) + word.slice(at + 1) : word;
}

/** Weight of a word: about one a syllable, never 0. */
export function speechWeight(word: string): number {
  const [group] = notation.exec(word) ?? [];
  if (group !== undefined) return Math.max(0.5, 1.3 * count(group, digits));
  const plain = word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const wide = count(word, eachSyllabic);
  const narrow = plain.replace(eachSyllabic, '');
  const written = count(narrow, letters);
  const groups = count(withoutFinalE(narrow), vowels);
  const syllables = written === 0 ? 0 : groups > 0 ? groups : written / lettersPerSyllable;
  return Math.max(
    0.5,
    wide + syllables * syllableWeight + written * letterWeight + count(word, digits) * syllablesPerDigit,
  );
}
