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
/** With `text`, of the texts with it alone. */
type Judgement = readonly [
  oracle: 'wetext en' | 'wetext zh' | 'nemo en',
  verdict: 'style' | 'theirs',
  kind: string,
  theirs: RegExp,
  what: string,
  text?: string,
];

const rows: readonly Judgement[] = [
  ['wetext en', 'style', 'date', /the [a-z ]+ of [a-z]+/, 'the day comes before the month: "the ninth of december"'],
  ['wetext en', 'theirs', 'year', /seconds/, 'decades are seconds: "one thousand nine hundred seconds" for "1900s"'],
  ['wetext en', 'style', 'money', / point /, 'cents are a decimal: "fifty point one nine dollars"'],
  ['wetext en', 'theirs', 'date', /May/, '"May" is no month'],
  ['wetext en', 'theirs', 'money', /^(?:failed.*)?$/, 'says nothing for "$5.0 million"'],
  ['wetext en', 'theirs', 'measure', /kHz/, '"kHz" stays letters'],
  ['wetext en', 'theirs', 'measure', /minutes/, '"m" is minutes'],
  ['wetext en', 'theirs', 'range', /thousand/, 'spans of years are amounts: "one thousand eight …"', 'took place'],
  ['wetext en', 'style', 'telephone', /plus/, '"plus" is said before the code of a country'],
  ['wetext en', 'theirs', 'roman', /\b[IVXL]{2,}\b/, 'Roman numerals stay as they are'],
  ['wetext en', 'theirs', 'abbreviation', /Prof\.|Gen\.|Capt\.|etc\.|vs\.|Misses/, 'some stay, or "Mrs." is "Misses"'],
  ['wetext en', 'theirs', 'mathematics', /×/, '× stays as it is'],
  ['nemo en', 'theirs', 'measure', /\b(?:M|GB|MB|m|ml|kW|kHz|H)\b/, 'some units stay letters'],
  ['nemo en', 'theirs', 'range', /-/, 'a range keeps its hyphen'],
  ['nemo en', 'theirs', 'range', /(?:eight|nine)teen/, 'pages are years: "eighteen thirty-six"', 'pages'],
  ['nemo en', 'style', 'telephone', /plus/, '"plus" is said before the code of a country'],
  ['nemo en', 'theirs', 'roman', /\b[IVXL]{2,}\b/, 'Roman numerals stay as they are'],
  ['nemo en', 'theirs', 'abbreviation', /Prof\.|Gen\.|Capt\.|etcetera|misses/, 'some stay, or "Mrs." is "misses"'],
  ['nemo en', 'theirs', 'mathematics', /×/, '× stays as it is'],
  ['wetext zh', 'theirs', 'fraction', /大[一二三四五六七八九]分之约/, '大约 is torn apart: 大八分之约五 for 大约5/8'],
  ['wetext zh', 'theirs', 'percent', /百分之负/, 'the second percentage of a range is negative'],
  ['wetext zh', 'theirs', 'measure', /g/, 'grams stay a letter'],
];

export const judgements = rows.map(([oracle, verdict, kind, theirs, what, text = '']) => ({
  oracle,
  verdict,
  what,
  applies: (reading: Reading): boolean =>
    reading.kind === kind && theirs.test(reading.theirs) && reading.text.includes(text),
}));
