/** English rules for web addresses, abbreviations and symbols between words. */
import { fullStop } from './english-patterns.ts';
import { anyOf, type Rule, rule } from './rules.ts';

const abbreviations: Readonly<Record<string, string>> = {
  'Mr.': 'Mister',
  'Mrs.': 'Missus',
  'Dr.': 'Doctor',
  'Prof.': 'Professor',
  'Gen.': 'General',
  'Capt.': 'Captain',
  'Lt.': 'Lieutenant',
  'Sgt.': 'Sergeant',
  'Gov.': 'Governor',
  'Sen.': 'Senator',
  'Jr.': 'Junior',
  'Sr.': 'Senior',
  'e.g.': 'for example',
  'i.e.': 'that is',
  'etc.': 'et cetera',
  'vs.': 'versus',
  'approx.': 'approximately',
  'dept.': 'department',
};
/** Titles before a name, so that a capital letter after them does not start a sentence. */
const titles = /^(?!Jr|Sr)\p{Lu}/u;

const beforeNumbers: Readonly<Record<string, string>> = {
  No: 'number',
  Nos: 'numbers',
  p: 'page',
  pp: 'pages',
  Fig: 'figure',
  Figs: 'figures',
  Vol: 'volume',
  Ch: 'chapter',
  Sec: 'section',
  Eq: 'equation',
};

const addressSigns: Readonly<Record<string, string>> = {
  '.': 'dot',
  '/': 'slash',
  '@': 'at',
  '-': 'dash',
  _: 'underscore',
  ':': 'colon',
  '?': 'question mark',
  '=': 'equals',
  '&': 'and',
  '#': 'hash',
  '%': 'percent',
  '+': 'plus',
  '~': 'tilde',
};

const sentenceMarks = new Set('.,;:!?)]\'"');

/** `example.com/a` to "example dot com slash a", followed by the punctuation of the sentence. */
function sayAddress(address: string): string {
  const written = address.replace(/^https?:\/\//iu, '');
  let end = written.length;
  while (sentenceMarks.has(written[end - 1] ?? '')) end -= 1;
  const body = written.slice(0, written[end - 1] === '/' ? end - 1 : end);
  const said = body.replace(/[./@\-_:?=&#%+~]/g, (sign) => ` ${addressSigns[sign]} `);
  return said.replace(/ {2,}/g, ' ').trim() + written.slice(end);
}

export const wordRules: readonly Rule[] = [
  rule(String.raw`(?:https?://|www\.)[^\s<>"]+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+`, ([address = '']) =>
    sayAddress(address),
  ),
  rule(
    String.raw`(?<![\p{L}.])(?:${anyOf(abbreviations)})`,
    ([match = ''], surroundings) => `${abbreviations[match]}${titles.test(match) ? '' : fullStop(match, surroundings)}`,
  ),
  rule(String.raw`(?<!\p{L})St\.(?=\s\p{Lu})`, () => 'Saint'),
  rule(String.raw`(?<!\p{L})(${anyOf(beforeNumbers)})\.\s?(?=\d)`, ([, name = '']) => `${beforeNumbers[name]} `),
];

const betweenNumbers: Readonly<Record<string, string>> = {
  '+': 'plus',
  '=': 'equals',
  '×': 'times',
  '÷': 'divided by',
};

export const signRules: readonly Rule[] = [
  rule(String.raw`#\s?(?=\d)`, () => 'number '),
  rule(String.raw`§\s?(?=\d)`, () => 'section '),
  rule(String.raw`(?<=\d)\s?([+=×÷])\s?(?=\d)`, ([, sign = '']) => ` ${betweenNumbers[sign]} `),
  rule(String.raw`(?<=\s)&(?=\s)`, () => 'and'),
];
