/** Swahili. */
import * as generated from '../generated/sw.ts';
import { defineLanguage } from './define-language.ts';

export const create = defineLanguage('sw', generated, {
  words: `
    address: nukta, at, mkwaju; half: nusu; to: hadi; clock: {0} na dakika {1}; plus: jumlisha; equals: sawa na;
    over: kwa; currencyFirst: yes;
  `,
});
