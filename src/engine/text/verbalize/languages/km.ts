/** Khmer. */
import * as generated from '../generated/km.ts';
import { defineLanguage } from './define-language.ts';

export const create = defineLanguage('km', generated, {
  isUnspaced: true,
  to: 'ដល់',
  clock: (h, m) => `ម៉ោង${h}${m}នាទី`,
  hour: (h) => `ម៉ោង${h}`,
});
