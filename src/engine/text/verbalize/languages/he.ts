/** Hebrew. */
import { calendar, numberRules, unitNames } from '../generated/he.ts';
import type { Language } from '../language.ts';
import { createSpelling } from '../spell-out.ts';
import { createLanguage } from './create-language.ts';
import type { LanguageSettings } from './settings.ts';

const spelling = createSpelling('he', numberRules);

const settings: LanguageSettings = {
  spacing: 'behind',
  country: / ארה״ב$/u,
  address: ['נקודה', 'שטרודל', 'לוכסן'],
  half: 'חצי',
  to: 'עד',
  cents: 'ו',
  clock: (h, m) => `${h} ו${m}`,
  over: 'חלקי',
  plus: 'ועוד',
  equals: 'שווה',
  percent: 'אחוז',
};

export const create = (): Language => createLanguage({ tag: 'he', spelling, unitNames, calendar }, settings);
