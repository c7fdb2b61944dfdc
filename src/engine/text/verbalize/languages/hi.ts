/** Hindi. */
import * as generated from '../generated/hi.ts';
import { defineLanguage } from './define-language.ts';

/** The first ordinals without their endings. */
const ordinalStems: readonly (string | undefined)[] = [undefined, 'पहल', 'दूसर', 'तीसर', 'चौथ', undefined, 'छठ'];

export const create = defineLanguage('hi', generated, {
  words: `
    ordinalForm: cardinal; address: डॉट, एट, स्लैश; half: आधा; parts: 3=तिहाई|तिहाई, 4=चौथाई|चौथाई; to: से;
    clock: {0} बजकर {1} मिनट; hour: {0} बजे; over: बटा; plus: जमा; power: की घात {0}; equals: बराबर; home: INR last; units: A=;
    hundredths: INR=पैसा|पैसे, USD=सेंट, EUR=सेंट;
  `,
  ordinals: /-?(?:वां|वाँ|वीं|वें|ला|ली|ले|रा|री|रे|था|थी|थे|ठा|ठी|ठे|st|nd|rd|th)(?![\p{L}\p{M}])/uy,
  ordinalWord: (said, mark, { text, start }) => {
    const stem = ordinalStems[Number(/^\d{1,3}/.exec(text.slice(start, start + 3))?.[0] ?? 0)];
    const [ending = 'ा'] = /[ाीे]$/u.exec(mark) ?? [];
    return stem === undefined ? said + (/[a-z]/.test(mark) ? 'वां' : mark.replace('-', '')) : stem + ending;
  },
  mixed: (whole, part) =>
    part === 'आधा' ? ({ एक: 'डेढ़', दो: 'ढाई' }[whole] ?? `साढ़े ${whole}`) : `${whole} सही ${part}`,
  clockWord: /[ \u00a0]?(?:बजे)/uy,
});
