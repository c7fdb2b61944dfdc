/** Swahili. */
import * as generated from '../generated/sw.ts';
import { defineLanguage } from './define-language.ts';

export const create = defineLanguage('sw', generated, {
  address: ['nukta', 'at', 'mkwaju'],
  half: 'nusu',
  to: 'hadi',
  clock: (h, m) => `${h} na dakika ${m}`,
  plus: 'jumlisha',
  equals: 'sawa na',
  over: 'kwa',
  currencyFirst: true,
});
