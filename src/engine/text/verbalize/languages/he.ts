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
  parts: { 3: ['שליש', 'שלישים'], 4: ['רבע', 'רבעים'] },
  partsAlone: 1,
  mixed: (whole, part) => `${whole} ו${part}`,
  tidy: (said) =>
    // "מאה ועשרים", "מאה ושתים עשרה"
    said.replace(/(?<=(?:מאה|מאתיים|מאות|אלף|אלפיים|אלפים|מיליון) )(?!ו)(\p{L}+(?: עשרה)?)$/u, (last) =>
      /^(?:מאה|מאתיים|מאות|אלף|אלפים|מיליון|מיליארד)$/.test(last) ? last : `ו${last}`,
    ),
  hundredths: { ILS: 'אגורה|אגורות', USD: 'סנט', EUR: 'סנט' },
  to: 'עד',
  hour: (h) => h,
  cents: 'ו',
  clock: (h, m) => `${h} ו${m}`,
  over: 'חלקי',
  plus: 'ועוד',
  equals: 'שווה',
  percent: 'אחוז',
};

export const create = (): Language => createLanguage({ tag: 'he', spelling, unitNames, calendar }, settings);
