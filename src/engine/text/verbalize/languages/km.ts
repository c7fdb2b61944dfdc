/** Khmer. */
import * as generated from '../generated/km.ts';
import { defineLanguage } from './define-language.ts';

export const create = defineLanguage('km', generated, {
  words: `
    isUnspaced: yes; to: ដល់; clock: ម៉ោង{0}{1}នាទី; hour: ម៉ោង{0};
  `,
});
