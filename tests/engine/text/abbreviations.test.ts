import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { cldrModule, cldrWords } from '../../../scripts/cldr-abbreviations.ts';
import { isAbbreviation } from '../../../src/engine/text/periods.ts';

it('has the abbreviations of the installed release of CLDR', () => {
  const file = new URL('../../../src/engine/text/generated/cldr-abbreviations.ts', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(cldrModule());
});

it('takes each of them for one before a name or a number', () => {
  const words = cldrWords().filter((word) => !isAbbreviation(word, 'Ava') && !isAbbreviation(word, '5'));
  // This one may end its sentence before any capital letter.
  expect(words).toEqual(['etc']);
});
