/** Hebrew. */
import * as generated from '../generated/he.ts';
import { defineLanguage } from './define-language.ts';

export const create = defineLanguage('he', generated, {
  words: `
    spacing: behind; address: נקודה, שטרודל, לוכסן; half: חצי; parts: 3=שליש|שלישים, 4=רבע|רבעים; partsAlone: 1;
    mixed: {0} ו{1}; hundredths: ILS=אגורה|אגורות, USD=סנט, EUR=סנט; to: עד; hour: {0}; cents: ו; clock: {0} ו{1};
    over: חלקי; plus: ועוד; power: בחזקת {0}; equals: שווה; percent: אחוז;
  `,
  country: / ארה״ב$/u,
  tidy: (said) =>
    // "מאה ועשרים", "מאה ושתים עשרה"
    said.replace(/(?<=(?:מאה|מאתיים|מאות|אלף|אלפיים|אלפים|מיליון) )(?!ו)(\p{L}+(?: עשרה)?)$/u, (last) =>
      /^(?:מאה|מאתיים|מאות|אלף|אלפים|מיליון|מיליארד)$/.test(last) ? last : `ו${last}`,
    ),
});
