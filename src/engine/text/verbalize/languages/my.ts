/** Burmese. */
import { calendar, numberRules, unitNames } from '../generated/my.ts';
import type { Language } from '../language.ts';
import { createSpelling } from '../spell-out.ts';
import { createLanguage } from './create-language.ts';
import type { LanguageSettings } from './settings.ts';

const spelling = createSpelling('my', numberRules);

const settings: LanguageSettings = {
  isUnspaced: true,
  to: 'မှ',
  clock: (h, m) => `${h}နာရီ${m}မိနစ်`,
};

export const create = (): Language => createLanguage({ tag: 'my', spelling, unitNames, calendar }, settings);
