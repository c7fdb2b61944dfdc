/** Thai. */
import * as generated from '../generated/th.ts';
import { defineLanguage } from './define-language.ts';

export const create = defineLanguage('th', generated, {
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
});
