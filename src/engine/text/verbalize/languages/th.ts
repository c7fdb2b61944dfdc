/** Thai. */
import * as generated from '../generated/th.ts';
import { defineLanguage } from './define-language.ts';

export const create = defineLanguage('th', generated, {
  words: `
    isUnspaced: yes; address: จุด, แอท, ทับ; half: ครึ่ง; to: ถึง; clock: {0}นาฬิกา{1}นาที; hour: {0}นาฬิกา; over: ส่วน;
    plus: บวก; power: ยกกำลัง{0}; equals: เท่ากับ; currencies: บาท=THB; home: THB first;
  `,
  tidyCurrency: (name) => name.replace(/ไทย$/, ''),
  clockWord: /[ \u00a0]?(?:น\.|นาฬิกา)/uy,
});
