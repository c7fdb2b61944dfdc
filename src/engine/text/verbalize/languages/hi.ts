/** Hindi. */
import { calendar, numberRules, unitNames } from '../generated/hi.ts';
import type { Language } from '../language.ts';
import { createSpelling } from '../spell-out.ts';
import { createLanguage } from './create-language.ts';
import type { LanguageSettings } from './settings.ts';

const spelling = createSpelling('hi', numberRules);

const settings: LanguageSettings = {
  ordinals: /(?:वां|वाँ|वीं|वें)(?![\p{L}\p{M}])/uy,
  ordinalForm: () => 'cardinal',
  ordinalWord: (said, mark) => said + mark,
  address: ['डॉट', 'एट', 'स्लैश'],
  half: 'आधा',
  to: 'से',
  clock: (h, m) => `${h} बजकर ${m} मिनट`,
  hour: (h) => `${h} बजे`,
  clockWord: /[ \u00a0]?(?:बजे)/uy,
  over: 'बटा',
  plus: 'जमा',
  equals: 'बराबर',
  home: ['INR', 'last'],
};

export const create = (): Language => createLanguage({ tag: 'hi', spelling, unitNames, calendar }, settings);
