/** Thai. */
import { calendar, numberRules, unitNames } from '../generated/th.ts';
import type { Language } from '../language.ts';
import { createSpelling } from '../spell-out.ts';
import { createLanguage } from './create-language.ts';
import type { LanguageSettings } from './settings.ts';

const spelling = createSpelling('th', numberRules);

const settings: LanguageSettings = {
  tidyCurrency: (name) => name.replace(/ไทย$/, ''),
  isUnspaced: true,
  address: ['จุด', 'แอท', 'ทับ'],
  half: 'ครึ่ง',
  to: 'ถึง',
  clock: (h, m) => `${h}นาฬิกา${m}นาที`,
  hour: (h) => `${h}นาฬิกา`,
  clockWord: /[ \u00a0]?(?:น\.|นาฬิกา)/uy,
  over: 'ส่วน',
  plus: 'บวก',
  equals: 'เท่ากับ',
  currencies: { บาท: 'THB' },
  home: ['THB', 'first'],
};

export const create = (): Language => createLanguage({ tag: 'th', spelling, unitNames, calendar }, settings);
