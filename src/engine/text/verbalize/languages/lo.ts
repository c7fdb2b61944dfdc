/** Lao. */
import * as generated from '../generated/lo.ts';
import { defineLanguage } from './define-language.ts';

export const create = defineLanguage('lo', generated, {
  words: `
    isUnspaced: yes; to: ຫາ; clock: {0}ໂມງ{1}ນາທີ; hour: {0}ໂມງ;
  `,
});
