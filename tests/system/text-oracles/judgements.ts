/**
 * Where other normalizers and ours disagree, and who is right: each kind was judged once. A "style" is another way to read
 * the same, "theirs" a misreading by the oracle.
 */

export interface Reading {
  readonly kind: string;
  readonly text: string;
  readonly ours: string;
  readonly theirs: string;
}
interface Judgement {
  readonly oracle: 'wetext en' | 'wetext zh' | 'nemo en';
  readonly verdict: 'style' | 'theirs';
  readonly what: string;
  readonly applies: (reading: Reading) => boolean;
}

const isKind =
  (kind: string, theirs: RegExp): Judgement['applies'] =>
  (reading) =>
    reading.kind === kind && theirs.test(reading.theirs);

export const judgements: readonly Judgement[] = [
  {
    oracle: 'wetext en',
    verdict: 'style',
    what: 'the day comes before the month: "the ninth of december" for "December 9"',
    applies: isKind('date', /the [a-z ]+ of [a-z]+/),
  },
  {
    oracle: 'wetext en',
    verdict: 'theirs',
    what: 'decades are seconds: "one thousand nine hundred seconds" for "1900s"',
    applies: isKind('year', /seconds/),
  },
  {
    oracle: 'wetext en',
    verdict: 'style',
    what: 'cents are a decimal: "fifty point one nine dollars"',
    applies: isKind('money', / point /),
  },
  { oracle: 'wetext en', verdict: 'theirs', what: '"May" is no month', applies: isKind('date', /May/) },
  {
    oracle: 'wetext en',
    verdict: 'theirs',
    what: 'says nothing for "$5.0 million"',
    applies: isKind('money', /^(?:failed.*)?$/),
  },
  { oracle: 'wetext en', verdict: 'theirs', what: '"kHz" stays letters', applies: isKind('measure', /kHz/) },
  {
    oracle: 'wetext en',
    verdict: 'theirs',
    what: '"m" is minutes',
    applies: isKind('measure', /minutes/),
  },
  {
    oracle: 'wetext en',
    verdict: 'theirs',
    what: 'spans of years are amounts: "one thousand eight hundred and thirty"',
    applies: (reading) => isKind('range', /thousand/)(reading) && reading.text.includes('took place'),
  },
  {
    oracle: 'wetext en',
    verdict: 'style',
    what: '"plus" is said before the code of a country',
    applies: isKind('telephone', /plus/),
  },
  {
    oracle: 'wetext en',
    verdict: 'theirs',
    what: 'Roman numerals stay as they are',
    applies: isKind('roman', /\b[IVXL]{2,}\b/),
  },
  {
    oracle: 'wetext en',
    verdict: 'theirs',
    what: 'some abbreviations stay as they are, or "Mrs." is "Misses"',
    applies: isKind('abbreviation', /Prof\.|Gen\.|Capt\.|etc\.|vs\.|Misses/),
  },
  { oracle: 'wetext en', verdict: 'theirs', what: '× stays as it is', applies: isKind('mathematics', /×/) },
  {
    oracle: 'nemo en',
    verdict: 'theirs',
    what: 'some units stay letters',
    applies: isKind('measure', /\b(?:M|GB|MB|m|ml|kW|kHz|H)\b/),
  },
  {
    oracle: 'nemo en',
    verdict: 'theirs',
    what: 'a range keeps its hyphen',
    applies: isKind('range', /-/),
  },
  {
    oracle: 'nemo en',
    verdict: 'theirs',
    what: 'pages are years: "eighteen thirty-six to nineteen eleven"',
    applies: (reading) => isKind('range', /(?:eight|nine)teen/)(reading) && reading.text.includes('pages'),
  },
  {
    oracle: 'nemo en',
    verdict: 'style',
    what: '"plus" is said before the code of a country',
    applies: isKind('telephone', /plus/),
  },
  {
    oracle: 'nemo en',
    verdict: 'theirs',
    what: 'Roman numerals stay as they are',
    applies: isKind('roman', /\b[IVXL]{2,}\b/),
  },
  {
    oracle: 'nemo en',
    verdict: 'theirs',
    what: 'some abbreviations stay as they are, or "Mrs." is "misses" and "etc." keeps its period',
    applies: isKind('abbreviation', /Prof\.|Gen\.|Capt\.|etcetera|misses/),
  },
  { oracle: 'nemo en', verdict: 'theirs', what: '× stays as it is', applies: isKind('mathematics', /×/) },
  {
    oracle: 'wetext zh',
    verdict: 'theirs',
    what: 'the word 大约 is torn apart: 大八分之约五 for 大约5/8',
    applies: isKind('fraction', /大[一二三四五六七八九]分之约/),
  },
  {
    oracle: 'wetext zh',
    verdict: 'theirs',
    what: 'the second percentage of a range is negative',
    applies: isKind('percent', /百分之负/),
  },
  {
    oracle: 'wetext zh',
    verdict: 'theirs',
    what: 'grams stay a letter',
    applies: isKind('measure', /g/),
  },
];
