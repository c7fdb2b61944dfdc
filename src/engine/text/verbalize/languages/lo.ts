/** Lao. */
import * as generated from '../generated/lo.ts';
import { defineLanguage } from './define-language.ts';

export const create = defineLanguage('lo', generated, {
  isUnspaced: true,
  to: 'ຫາ',
  clock: (h, m) => `${h}ໂມງ${m}ນາທີ`,
  hour: (h) => `${h}ໂມງ`,
});
