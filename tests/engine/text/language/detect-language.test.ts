import { expect, it } from '@jest/globals';
import { languageOf } from '../../../../src/engine/text/language/detect-language.ts';
import { rowsOf } from '../../../support/rows.ts';
import { cases } from '../../cases.ts';

/** Languages and texts of a table, and the languages found. */
const foundIn = (table: string) =>
  rowsOf(import.meta.dirname, table).map(([language, text = '']) => [language, languageOf(text), text]);

it('tells the languages of short sentences, or that it is uncertain', () => {
  // As answers of an assistant are.
  const found = foundIn('sentences.tsv');
  // Danish, Norwegian and Swedish write some sentences alike.
  expect(found.filter(([language, tag]) => tag !== undefined && tag !== language)).toEqual([
    ['da', 'sv', 'Vi ses den 24. december 2025.'],
    ['nb', 'da', 'Det koster 20 € i måneden.'],
  ]);
  const unknown = found.filter(([, tag]) => tag === undefined).map(([language, , text]) => `${language} ${text}`);
  expect(unknown).toEqual([
    'da Prisen er 1.250 kroner.',
    'nb Prisen er 1 250 kroner.',
    'nb Vi ses 24. desember 2025, ikke sant?',
    'nl Tot 24 december 2025!',
    'de Kapitel 5',
    'nl Gewicht: 2,5 kg',
    'sv Pris: 99 kr',
  ]);
});

it('names no wrong language of opening hours, prices, headings, items and messages', () => {
  const found = foundIn('short-texts.tsv');
  expect(found.filter(([language, tag]) => tag !== undefined && tag !== language)).toEqual([]);
  expect(found.filter(([, tag]) => tag === undefined).length).toBeLessThan(0.2 * found.length);
});

it('leaves open what nothing tells', () => {
  // Names, formulas and abbreviations tell nothing.
  const found = cases('no language').map(({ given }) => languageOf(given));
  expect(found.filter((language) => language !== undefined && language !== 'en')).toEqual([]);
});
