/** Rules that replace digits and symbols in English text by words. */
import type { Steps } from '../../../event-loop.ts';
import { amountRules } from './english-amounts.ts';
import { start, stop } from './english-patterns.ts';
import { timeRules } from './english-times.ts';
import { signRules, wordRules } from './english-words.ts';
import { sayEnglish, spellEnglish } from './number-words.ts';
import { applyRules, number, type Rule, rule } from './rules.ts';

const spellGroups = (groups: readonly (string | undefined)[]): string =>
  groups
    .filter((group) => group !== undefined)
    .map(spellEnglish)
    .join(', ');

const numberRules: readonly Rule[] = [
  rule(`(?<=${start})-(?=\\d)`, () => 'minus '),
  // Telephone numbers.
  rule(String.raw`(?<![\d-])(\+?\d{1,3}[- ])?\(?(\d{3})\)?[- ](\d{3})-(\d{4})(?![\d-])`, ([, ...groups]) =>
    spellGroups(groups),
  ),
  rule(`${start}(\\d{3})-(\\d{4})(?![\\d-])`, ([, ...groups]) => spellGroups(groups)),
  rule(`${start}${number}\\s?-\\s?(?=\\d)(?!\\d+-)`, ([, first = '']) => `${sayEnglish(first)} to `),
  rule(
    `${start}(v?)(\\d+(?:\\.\\d+){2,})${stop}`,
    ([, sign, version = '']) =>
      `${sign === 'v' ? 'version ' : ''}${version.split('.').map(sayEnglish).join(' point ')}`,
  ),
  rule(`(?<!\\p{L})v(?=\\d+(?:\\.\\d+)?${stop})`, () => 'version '),
];

const lastRules: readonly Rule[] = [
  rule(String.raw`(?<=\d)\s?:\s?(?=\d)`, () => ' to '),
  // `COVID-19`, `MP3`, `4K`: a number next to letters is a separate word; `10-year` keeps its hyphen.
  rule(String.raw`(?<=\p{L})-(?=\d)`, () => ' '),
  rule(number, ([amount = ''], { before, after }) => {
    const [left, right] = [/\p{L}$/u.test(before), /^\p{L}/u.test(after)].map((isLetter) => (isLetter ? ' ' : ''));
    return `${left}${sayEnglish(amount)}${right}`;
  }),
];

const rules: readonly Rule[] = [...wordRules, ...timeRules, ...numberRules, ...amountRules, ...signRules, ...lastRules];

export const verbalizeEnglish = (text: string): Steps<string> => applyRules(rules, text);
