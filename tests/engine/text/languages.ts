import { textsByLanguage } from '../../support/rows.ts';

/**
 * Texts in the 30 languages of VoxCPM 2 by the names of these, as the README of OpenBMB/VoxCPM lists them. `|` marks the end of a
 * sentence. Each language has quotations, ellipses, numbers, questions and the abbreviations that it uses.
 */
export const languages = textsByLanguage('tests/engine/text/languages.tsv');
