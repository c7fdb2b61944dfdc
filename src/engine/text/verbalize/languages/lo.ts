/** Lao. */
import { calendar, numberRules, unitNames } from '../generated/lo.ts';
import type { Language } from '../language.ts';
import { createSpelling } from '../spell-out.ts';
import { createLanguage } from './create-language.ts';
import type { LanguageSettings } from './settings.ts';

const spelling = createSpelling('lo', numberRules);

const settings: LanguageSettings = {
  isUnspaced: true,
  to: 'ຫາ',
  clock: (h, m) => `${h}ໂມງ${m}ນາທີ`,
  hour: (h) => `${h}ໂມງ`,
};

export const create = (): Language => createLanguage({ tag: 'lo', spelling, unitNames, calendar }, settings);
