/** Khmer. */
import { calendar, numberRules, unitNames } from '../generated/km.ts';
import type { Language } from '../language.ts';
import { createSpelling } from '../spell-out.ts';
import { createLanguage } from './create-language.ts';
import type { LanguageSettings } from './settings.ts';

const spelling = createSpelling('km', numberRules);

const settings: LanguageSettings = {
  isUnspaced: true,
  to: 'ដល់',
  clock: (h, m) => `ម៉ោង${h}${m}នាទី`,
  hour: (h) => `ម៉ោង${h}`,
};

export const create = (): Language => createLanguage({ tag: 'km', spelling, unitNames, calendar }, settings);
