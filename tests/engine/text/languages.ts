import { rowsOf } from '../../support/rows.ts';

const rows = rowsOf(import.meta.dirname, 'languages.tsv');

/**
 * Texts in the 30 languages of VoxCPM 2 by the names of these, as the README of OpenBMB/VoxCPM lists them. `|` marks the end of a
 * sentence. Each language has quotations, ellipses, numbers, questions and the abbreviations that it uses.
 */
export const languages: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  rows.map(([language = '']) => [language, rows.filter(([of]) => of === language).map(([, text = '']) => text)]),
);
