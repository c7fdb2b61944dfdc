/** Hebrew. */
import * as generated from '../generated/he.ts';
import { defineLanguage } from './define-language.ts';

export const create = defineLanguage('he', generated, {
  spacing: 'behind',
  country: / ארה״ב$/u,
  address: ['נקודה', 'שטרודל', 'לוכסן'],
  half: 'חצי',
  parts: '3=שליש|שלישים, 4=רבע|רבעים',
  partsAlone: 1,
  mixed: (whole, part) => `${whole} ו${part}`,
  tidy: (said) =>
    // "מאה ועשרים", "מאה ושתים עשרה"
    said.replace(/(?<=(?:מאה|מאתיים|מאות|אלף|אלפיים|אלפים|מיליון) )(?!ו)(\p{L}+(?: עשרה)?)$/u, (last) =>
      /^(?:מאה|מאתיים|מאות|אלף|אלפים|מיליון|מיליארד)$/.test(last) ? last : `ו${last}`,
    ),
  hundredths: 'ILS=אגורה|אגורות, USD=סנט, EUR=סנט',
  to: 'עד',
  hour: (h) => h,
  cents: 'ו',
  clock: (h, m) => `${h} ו${m}`,
  over: 'חלקי',
  plus: 'ועוד',
  equals: 'שווה',
  percent: 'אחוז',
});
